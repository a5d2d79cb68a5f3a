import { Counter, Gauge, Histogram, type Registry } from "@sitewire/runtime"
import type { Taken } from "./trigger/batchTriggers.ts"

type Outcome = "accepted" | "not_found" | "too_large" | "unavailable" | "method"

export type Measures = {
  count(outcome: Outcome): void
  answered(taken: Taken, durationMs: number): void
  batch(step: "check" | "publish", size: number): void
}

/** The gateway's figures. No label is made from a request. */
export function createMeasures(
  registry: Registry,
  now: { waiting: () => number; unavailablePartitions: () => number },
): Measures {
  const registers = [registry]
  const triggers = new Counter({
    name: "sitewire_triggers_total",
    help: "Requests by what they were answered.",
    labelNames: ["outcome"],
    registers,
  })
  const outcomes = {
    accepted: triggers.labels("accepted"),
    not_found: triggers.labels("not_found"),
    too_large: triggers.labels("too_large"),
    unavailable: triggers.labels("unavailable"),
    method: triggers.labels("method"),
  }
  // Prometheus sees no increase in a series that begins at 1, and `unavailable` is alerted on.
  for (const outcome of Object.values(outcomes)) outcome.inc(0)
  const answerSeconds = new Histogram({
    name: "sitewire_trigger_response_seconds",
    help: "From a trigger's arrival to its answer.",
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers,
  })
  const batchSizes = new Histogram({
    name: "sitewire_trigger_batch_size",
    help: "Triggers that shared one statement (check) or one request to Kafka (publish).",
    labelNames: ["step"],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000],
    registers,
  })
  new Gauge({
    name: "sitewire_triggers_waiting",
    help: "Triggers between arrival and acknowledgement.",
    registers,
    collect() {
      this.set(now.waiting())
    },
  })
  new Gauge({
    name: "sitewire_trigger_partitions_unavailable",
    help: "Partitions that accept no triggers while others do: their connections get 503.",
    registers,
    collect() {
      this.set(now.unavailablePartitions())
    },
  })
  return {
    count: (outcome) => outcomes[outcome].inc(),
    answered({ status }, durationMs) {
      outcomes[status === "not found" ? "not_found" : status].inc()
      answerSeconds.observe(durationMs / 1_000)
    },
    batch: (step, size) => batchSizes.observe({ step }, size),
  }
}
