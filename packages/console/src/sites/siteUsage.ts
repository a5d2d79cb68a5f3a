import type { Sql } from "@sitewire/database"
import { Gauge, type Registry } from "@sitewire/runtime"

const statement = `
select coalesce(max(connections), 0)::int as connections, coalesce(max(bytes), 0)::float8 as bytes from (
  select count(*) as connections, sum(content.bytes) as bytes
    from connection cross join lateral (
      select sum(bytes) as bytes from (
        select bytes from snapshot where connection_id = connection.id
        union all select bytes from previous_snapshot where connection_id = connection.id) as stored) as content
   group by site) as used`

/** The most connections, and the most stored bytes, of any site. */
export async function readSiteUsage(sql: Sql): Promise<{ connections: number; bytes: number }> {
  const [used] = await sql<{ connections: number; bytes: number }>(statement)
  return used ?? { connections: 0, bytes: 0 }
}

/** Returns a function that updates the metric of the site that uses most of what a site may use. */
export function observeSiteUsage(settings: {
  sql: Sql
  limits: { connections: number; bytes: number }
  metrics: Registry
}): () => Promise<void> {
  const { sql, limits, metrics } = settings
  const gauge = new Gauge({
    name: "sitewire_site_usage_ratio",
    help:
      "What the site that uses most has used of its limit. connections: of SITE_MAX_CONNECTIONS; bytes: of SITE_MAX_BYTES. " +
      "Read every five minutes.",
    labelNames: ["limit"],
    registers: [metrics],
  })
  return async () => {
    const used = await readSiteUsage(sql)
    gauge.set({ limit: "connections" }, used.connections / limits.connections)
    gauge.set({ limit: "bytes" }, used.bytes / limits.bytes)
  }
}
