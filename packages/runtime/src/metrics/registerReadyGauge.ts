import { Gauge, type Registry } from "prom-client"

export function registerReadyGauge(registry: Registry, isReady: () => boolean): void {
  new Gauge({
    name: "sitewire_ready",
    help: "1 if /readyz is 200, otherwise 0.",
    registers: [registry],
    collect() {
      this.set(isReady() ? 1 : 0)
    },
  })
}
