import { existsSync, readFileSync } from "node:fs"

type Question = {
  name: string
  why: string
  scheme: string
  now: number
  secrets: string[]
  headers: Record<string, string | string[]>
  body: string
}

export type Vector = Question & ({ event: Record<string, string> } | { fault: string })

/** In the package, a copy of the repository's. */
const packaged = new URL("../../vectors/deliveries.json", import.meta.url)
const original = new URL("../../../kit/vectors/deliveries.json", import.meta.url)

export function readVectors(): Vector[] {
  return JSON.parse(readFileSync(existsSync(packaged) ? packaged : original, "utf8"))
}
