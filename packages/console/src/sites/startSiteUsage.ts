import type { Sql } from "@sitewire/database"
import { Gauge, type Logger, type Registry, repeatUntilClosed } from "@sitewire/runtime"
import { readSiteUsage } from "./readSiteUsage.ts"

/** Keeps the metric of the site that uses most of what a site may use. */
export function startSiteUsage(settings: {
  sql: Sql
  limits: { connections: number; bytes: number }
  metrics: Registry
  intervalMs?: number
  log: Logger
}): { close(): Promise<void> } {
  const { sql, limits, metrics, intervalMs = 5 * 60_000, log } = settings
  const gauge = new Gauge({
    name: "sitewire_site_usage_ratio",
    help:
      "What the site that uses most has used of its limit. connections: of SITE_MAX_CONNECTIONS; bytes: of SITE_MAX_BYTES. " +
      "Read every five minutes.",
    labelNames: ["limit"],
    registers: [metrics],
  })
  return repeatUntilClosed({
    async step(signal) {
      const used = await readSiteUsage(sql, signal)
      if (signal.aborted) return
      gauge.set({ limit: "connections" }, used.connections / limits.connections)
      gauge.set({ limit: "bytes" }, used.bytes / limits.bytes)
    },
    intervalMs,
    failed: "the usage of sites could not be read; the console tries again",
    log,
  })
}
