import { isUnavailable, openPool, type Pool } from "@sitewire/database"
import {
  connectPostgres,
  databaseAccess,
  type RetryStatement,
  retryStatements,
  type ServiceParts,
} from "@sitewire/runtime"
import type { dispatcherVariables } from "./config.ts"

type Service = Pick<ServiceParts<typeof dispatcherVariables>, "config" | "log" | "lifecycle" | "readiness">

const newestColumns =
  "select w.attempts, c.partner_may_change_address, e.event_id from waiting_delivery w, channel c, ended_delivery e limit 0"

export async function openDatabase(service: Service): Promise<{
  pool: Pool
  retry: RetryStatement
}> {
  const { config, lifecycle, readiness } = service
  const pool = openPool({
    ...databaseAccess(config),
    size: config.DATABASE_POOL_SIZE,
    name: "webhook-dispatcher",
    // Each statement is small. Leases outlast two of them, and after a kill, what was claimed waits for the end of its lease.
    statementTimeoutMs: 10_000,
  })
  await connectPostgres({ ...service, pool, newestColumns, check: "postgres connection" })

  const retry = retryStatements({
    isTransient: isUnavailable,
    signal: lifecycle.expiring,
    onState: (working, why) => readiness.set("postgres", working, why),
  })
  return { pool, retry }
}
