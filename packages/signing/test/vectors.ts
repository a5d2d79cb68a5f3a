import { readFileSync } from "node:fs"
import type { Fault, SiteReady } from "../src/index.ts"

type Vector = {
  name: string
  why: string
  /** The receiver's clock: Unix time in seconds. */
  now: number
  secrets: string[]
  headers: Record<string, string>
  fault?: Fault
}
type Delivery = Vector & {
  scheme: "sitewire" | "standard-webhooks"
  body: string
  event?: Omit<SiteReady, "delivery">
  refused?: true
}
type SourceRequest = Vector & { method: string; url: string }

export const deliveries: Delivery[] = read("deliveries.json")
export const secretForms: Delivery[] = read("secrets.json")
export const sources: SourceRequest[] = read("sources.json")

function read(name: string) {
  return JSON.parse(readFileSync(new URL(`../../../kit/vectors/${name}`, import.meta.url), "utf8"))
}
