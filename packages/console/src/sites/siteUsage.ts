import type { Sql } from "@sitewire/database"
import { Gauge, type Registry } from "@sitewire/runtime"

type SiteUsage = { connections: number; bytes: number }

/** So many sites are read by a statement, and of each so many connections. */
const batch = 1_000
const mostConnections = 2_000

const ofSite = `select id from connection where site = sites.site limit ${mostConnections}`

// Each step of the recursion finds the next site in the index.
const statement = `
with recursive sites as (
  (select site, 1 as number from connection where site > $1 order by site limit 1)
  union all
  select next.site, sites.number + 1 from sites cross join lateral (
    select site from connection where site > sites.site order by site limit 1
  ) as next where sites.number < ${batch}
)
select site, (select count(*) from (${ofSite}) as counted)::int as connections,
  (select coalesce(sum(content.bytes), 0) from (${ofSite}) as c cross join lateral (
     select bytes from snapshot where connection_id = c.id
     union all select bytes from previous_snapshot where connection_id = c.id
   ) as content)::float8 as bytes
  from sites order by site`

/** The most connections, and the most stored bytes, of any site. Reads all sites, in small statements. */
export async function readSiteUsage(sql: Sql): Promise<SiteUsage> {
  const most = { connections: 0, bytes: 0 }
  let after = ""
  for (let count = batch; count === batch; ) {
    const rows = await sql<SiteUsage & { site: string }>(statement, [after])
    for (const { site, connections, bytes } of rows) {
      most.connections = Math.max(most.connections, connections)
      most.bytes = Math.max(most.bytes, bytes)
      after = site
    }
    count = rows.length
  }
  return most
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
