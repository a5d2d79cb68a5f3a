import { Counter, Histogram, type Registry, registerReadGauges } from "@sitewire/runtime"
import type { TriggerOutcome } from "./trigger/batchTriggers.ts"

type RequestOutcome = "accepted" | "not_found" | "too_large" | "unavailable" | "method"

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>

/** No label contains a part of a request, because its path contains the token. */
export function createGatewayMetrics(registry: Registry) {
  const registers = [registry]
  const requests = new Counter({
    name: "sitewire_triggers_total",
    help: "Requests by outcome: 202 (accepted), 404 (not_found), 413 (too_large), 503 (unavailable), 405 (method).",
    labelNames: ["outcome"],
    registers,
  })
  const outcomes = {
    accepted: requests.labels("accepted"),
    not_found: requests.labels("not_found"),
    too_large: requests.labels("too_large"),
    unavailable: requests.labels("unavailable"),
    method: requests.labels("method"),
  }
  // Series start at 0, because Prometheus ignores an increase in a series that begins at 1.
  for (const outcome of Object.values(outcomes)) outcome.inc(0)
  const responseSeconds = new Histogram({
    name: "sitewire_trigger_response_seconds",
    help: "From a trigger's arrival to its response.",
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    registers,
  })
  const batchSizes = new Histogram({
    name: "sitewire_trigger_batch_size",
    help: "Triggers that shared one query (check) or whose records were published together (publish).",
    labelNames: ["step"],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000],
    registers,
  })
  return {
    count: (outcome: RequestOutcome): void => outcomes[outcome].inc(),
    responded({ status }: TriggerOutcome, durationMs: number): void {
      outcomes[status === "not found" ? "not_found" : status].inc()
      responseSeconds.observe(durationMs / 1_000)
    },
    batch: (step: "check" | "publish", size: number): void => batchSizes.observe({ step }, size),
  }
}

export function registerGauges(
  registry: Registry,
  read: { waiting: () => number; unavailablePartitions: () => number },
): void {
  registerReadGauges(registry, () => read, [
    {
      name: "sitewire_triggers_waiting",
      help: "Triggers that wait for Postgres or Kafka.",
      of: ({ waiting }) => waiting(),
    },
    {
      name: "sitewire_trigger_partitions_unavailable",
      help: "Partitions that accept no records while others do. Triggers of their connections get 503.",
      of: ({ unavailablePartitions }) => unavailablePartitions(),
    },
  ])
}
