import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"

const tracesSchema = z.object({
  data: z.array(
    z.object({
      traceID: z.string(),
      spans: z.array(
        z.object({
          traceID: z.string(),
          spanID: z.string(),
          operationName: z.string(),
          startTime: z.number(),
          duration: z.number(),
          processID: z.string(),
          references: z.array(z.object({ refType: z.string(), traceID: z.string(), spanID: z.string() })),
          tags: z.array(z.object({ key: z.string(), value: z.unknown() })),
        }),
      ),
      processes: z.record(z.string(), z.object({ serviceName: z.string() })),
    }),
  ),
})

export type StoredTrace = z.infer<typeof tracesSchema>["data"][number]
export type StoredSpan = StoredTrace["spans"][number]

/** Waits until Jaeger has a trace for which `isComplete` is true. `query` is a path and its query. */
export async function waitForTrace(
  jaeger: string,
  query: string,
  isComplete: (trace: StoredTrace) => boolean,
): Promise<StoredTrace> {
  for (const until = Date.now() + 60_000; ; await sleep(500)) {
    const response = await fetch(`${jaeger}/api/${query}`)
    const traces = response.ok ? tracesSchema.parse(await response.json()).data : []
    const found = traces.find(isComplete)
    if (found) return found
    if (Date.now() > until) throw new Error(`Jaeger did not get a complete trace of ${query} within a minute`)
  }
}

export function tagOf(span: StoredSpan | undefined, key: string): unknown {
  return span?.tags.find((tag) => tag.key === key)?.value
}

export function linksOf(span: StoredSpan | undefined): string[] {
  return (span?.references ?? [])
    .filter(({ refType }) => refType === "FOLLOWS_FROM")
    .map(({ spanID }) => spanID)
}

/** The trace as an indented list. */
export function describeTrace({ spans, processes }: StoredTrace): string {
  const lines: string[] = []
  function add(parent: string | undefined, indent: string): void {
    for (const span of spans
      .filter((each) => parentOf(each, spans) === parent)
      .toSorted((a, b) => a.startTime - b.startTime)) {
      const service = processes[span.processID]?.serviceName ?? "?"
      const shown = ["sitewire.attempt.number", "http.response.status_code", "sitewire.outcome", "error.type"]
        .flatMap((key) =>
          tagOf(span, key) === undefined ? [] : [`${key.replace(/.*\./, "")}=${tagOf(span, key)}`],
        )
        .join(" ")
      const links = linksOf(span).length === 0 ? "" : ` links to ${linksOf(span).join(", ")}`
      const ms = (span.duration / 1_000).toFixed(1)
      lines.push(`${indent}${span.spanID} ${service}: ${span.operationName} ${ms} ms ${shown}${links}`)
      add(span.spanID, `${indent}  `)
    }
  }
  add(undefined, "  ")
  return lines.join("\n")
}

function parentOf(span: StoredSpan, spans: readonly StoredSpan[]): string | undefined {
  const parent = span.references.find(({ refType }) => refType === "CHILD_OF")?.spanID
  return spans.some(({ spanID }) => spanID === parent) ? parent : undefined
}
