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
  const isFigure = ({ target, value }: Measure) => target === "" && value !== null
  const unjudged = measures.filter((measure) => measure.holds === null && !isFigure(measure))
  const figures = measures.filter(isFigure).length
  const count = (verdict: boolean) => measures.filter(({ holds }) => holds === verdict).length
  const lines = unjudged.map(({ measure, reason }) => `not judged: ${measure}: ${reason}`)
  const judged = `${count(true)} hold, ${count(false)} do not, ${unjudged.length} could not be judged`
  return [...lines, figures > 0 ? `${judged}, ${figures} are figures without a target` : judged].join("\n")
}
