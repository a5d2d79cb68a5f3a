import { createMetrics, registerLagGauges } from "@sitewire/runtime"
import type { Source } from "./sources.ts"

export type Metric = { name: string; type: "counter" | "gauge" | "histogram"; help: string; labels: string[] }

export type OwnedMetric = Metric & { owner: string }

export function readMetrics(sources: readonly Source[]): OwnedMetric[] {
  return sources.flatMap(({ owner, text }) => findMetrics(text).map((metric) => ({ ...metric, owner })))
}

/**
 * Finds the metrics that a source file registers. It searches the file's text and does not import it, because
 * packages may not import services. A metric is an object with a `name` that begins with `sitewire_`, a
 * `help` and, if it has labels, `labelNames`. The argument of `registerLagGauges` names two metrics.
 */
export function findMetrics(source: string): Metric[] {
  return [...source.matchAll(/name: "(sitewire_\w+)"/g)].flatMap(({ 1: name = "", index }) => {
    const start = source.lastIndexOf("{", index)
    const text = source.slice(start, endOfObject(source, start))
    const records = /records: "([^"]*)"/.exec(text)?.[1]
    if (records !== undefined) return lagGauges(name, records)
    const help = readText(text)
    if (help === "") throw new Error(`${name} has no help text, or not in the form that findMetrics knows.`)
    const labels = [...(/labelNames: \[([^\]]*)\]/.exec(text)?.[1] ?? "").matchAll(/"(\w+)"/g)]
    const type = /new (Counter|Histogram)\(\s*$/.exec(source.slice(0, start))?.[1]
    return [
      {
        name,
        type: type === "Counter" ? "counter" : type === "Histogram" ? "histogram" : "gauge",
        help,
        labels: labels.map(([, label = ""]) => label),
      },
    ]
  })
}

/** Registers the gauges with no broker, to learn their names, help texts and labels. */
function lagGauges(prefix: string, records: string): Metric[] {
  const registry = createMetrics("documents")
  registerLagGauges(registry, { name: prefix, records }, async () => [])
  const gauges = registry.getMetricsAsArray() as unknown as {
    name: string
    help: string
    labelNames: string[]
  }[]
  return gauges
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, help, labelNames }) => ({ name, type: "gauge", help, labels: labelNames }))
}

function readText(text: string): string {
  const written = /help:\s*((?:"(?:[^"\\]|\\.)*"\s*\+?\s*)+)/.exec(text)?.[1] ?? ""
  return [...written.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = ""]) => part).join("")
}

function endOfObject(source: string, start: number): number {
  let depth = 0
  for (let index = start; index < source.length; index += 1) {
    if (source[index] === "{") depth += 1
    if (source[index] === "}") depth -= 1
    if (depth === 0) return index + 1
  }
  return source.length
}
