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
