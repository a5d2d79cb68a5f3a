import { readFileSync, writeFileSync } from "node:fs"
import { z } from "zod"
import type { Measure } from "./measure/measure.ts"

const savedSchema = z.array(z.object({ measure: z.string(), value: z.number().nullable() }))

export function readBaseline(file: string): Map<string, number | null> {
  const saved = savedSchema.parse(JSON.parse(readFileSync(file, "utf8")))
  return new Map(saved.map(({ measure, value }) => [measure, value]))
}

export function save(file: string, measures: readonly Measure[]): void {
  writeFileSync(file, `${JSON.stringify(measures, null, 2)}\n`)
}

export function summarise(measures: readonly Measure[]): string {
  const unjudged = measures.filter(({ holds }) => holds === null)
  const count = (verdict: boolean) => measures.filter(({ holds }) => holds === verdict).length
  const lines = unjudged.map(({ measure, reason }) => `not judged: ${measure}: ${reason}`)
  return [
    ...lines,
    `${count(true)} hold, ${count(false)} do not, ${unjudged.length} could not be judged`,
  ].join("\n")
}
