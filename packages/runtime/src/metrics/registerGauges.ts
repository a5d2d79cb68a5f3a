import { Gauge, type Registry } from "prom-client"

/**
 * Registers gauges whose values are parts of one reading. They are absent while `read` resolves to undefined,
 * because 0 or old values would mislead.
 */
export function registerReadGauges<T>(
  registry: Registry,
  read: () => T | undefined | Promise<T | undefined>,
  gauges: { name: string; help: string; of: (reading: T) => number }[],
): void {
  for (const { name, help, of } of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const reading = await read()
        if (reading === undefined) this.remove()
        else this.set(of(reading))
      },
    })
  }
}

/** `read`: undefined while Postgres is unavailable. The metric is then absent. */
export function registerUnvacuumedGauge(
  registry: Registry,
  table: string,
  read: () => Promise<number | undefined>,
): void {
  new Gauge({
    name: "sitewire_unvacuumed_rows",
    help: "Replaced or deleted versions of the table's rows that vacuum has not removed, because a transaction is older.",
    labelNames: ["table"],
    registers: [registry],
    async collect() {
      const rows = await read()
      this.reset()
      if (rows !== undefined) this.set({ table }, rows)
    },
  })
}

export function registerReadyGauge(registry: Registry, isReady: () => boolean): void {
  registerReadGauges(registry, isReady, [
    { name: "sitewire_ready", help: "1 if /readyz is 200, otherwise 0.", of: (ready) => (ready ? 1 : 0) },
  ])
}
