import { findTool, type Prometheus, startPrometheus } from "@sitewire/testkit/prometheus"
import { prometheusFolder } from "./folders.ts"

/** Called before the installation starts, so that a missing program is reported at once. */
export function requirePrometheus(): void {
  findTool("prometheus")
}

/** `ops`: base URLs of all processes. Those of the demo partner are not read, because it is no part of Sitewire. */
export function startMonitoring(ops: Readonly<Record<string, string>>, port: number): Promise<Prometheus> {
  const { "demo-partner": _, ...targets } = ops
  return startPrometheus({ directory: prometheusFolder, targets, port, ownProcessGroup: true })
}
