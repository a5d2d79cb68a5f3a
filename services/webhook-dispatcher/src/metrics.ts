import { Counter, exposeLag, Gauge, Histogram, type Registry } from "@sitewire/runtime"

/** What operators see of deliveries. No label holds an id: their number has no bound. */
export function createDispatcherMetrics(
  registry: Registry,
  read: {
    inHand: () => number
    inFlight: () => number
    breakersOpen: () => number
    /** Of site.paid. */
    lag: () => Promise<{ partition: number; lag: number }[]>
  },
) {
  const registers = [registry]
  new Gauge({
    name: "sitewire_deliveries_in_hand",
    help: "Records taken from Kafka and not finished.",
    registers,
    collect() {
      this.set(read.inHand())
    },
  })
  new Gauge({
    name: "sitewire_attempts_in_flight",
    help: "Attempts under way.",
    registers,
    collect() {
      this.set(read.inFlight())
    },
  })
  new Gauge({
    name: "sitewire_breakers_open",
    help: "Channels whose breaker is open in this process.",
    registers,
    collect() {
      this.set(read.breakersOpen())
    },
  })
  exposeLag(registry, { name: "sitewire_site_paid_lag_records", records: "Records of site.paid" }, read.lag)
  const events = new Counter({
    name: "sitewire_site_paid_total",
    help: "Records of site.paid by what became of them.",
    labelNames: ["outcome"],
    registers,
  })
  const putOff = new Counter({
    name: "sitewire_deliveries_put_off_total",
    help: "Deliveries put off without an attempt because their channel could not take them.",
    labelNames: ["why"],
    registers,
  })
  // Prometheus sees no increase in a series that begins at 1, and these are alerted on.
  for (const outcome of ["accepted", "duplicate", "invalid"]) events.inc({ outcome }, 0)
  for (const why of ["busy", "breaker", "paused", "fault"]) putOff.inc({ why }, 0)
  return {
    events,
    putOff,
    attempts: new Counter({
      name: "sitewire_attempts_total",
      help: "Attempts by outcome: delivered, or the error's class.",
      labelNames: ["outcome"],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: "sitewire_attempt_seconds",
      help: "Duration of attempts, to the head of the answer.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    recalled: new Counter({
      name: "sitewire_deliveries_recalled_total",
      help: "Attempts of put-off deliveries that were made before their records came back.",
      registers,
    }),
    stale: new Counter({
      name: "sitewire_deliveries_stale_total",
      help: "Records dropped because their attempt had been made already.",
      registers,
    }),
    dead: new Counter({ name: "sitewire_deliveries_dead_total", help: "Deliveries given up.", registers }),
  }
}

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>
