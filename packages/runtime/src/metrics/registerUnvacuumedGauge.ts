import { Gauge, type Registry } from "prom-client"

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
