import { isUnavailable, openPool, type Pool } from "@sitewire/database"
import {
  databaseAccess,
  retryWhileUnavailable,
  type ServiceParts,
  waitForDependency,
  watchDependency,
} from "@sitewire/runtime"
import type { dispatcherVariables } from "./config.ts"
import type { RetryStatement } from "./createStore.ts"

type Service = Pick<ServiceParts<typeof dispatcherVariables>, "config" | "log" | "lifecycle" | "readiness">

/** Fails until the migrations of this version have been applied: the process may start before the setup job ends. */
const newestColumns =
  "select w.attempts, c.partner_may_change_address, e.event_id from waiting_delivery w, channel c, ended_delivery e limit 0"

export async function openDatabase({ config, log, lifecycle, readiness }: Service): Promise<{
  pool: Pool
  retry: RetryStatement
}> {
  const pool = openPool({
    ...databaseAccess(config),
    size: config.DATABASE_POOL_SIZE,
    name: "webhook-dispatcher",
  })
  lifecycle.onStop("database", pool.close)
  await waitForDependency({
    name: "Postgres",
    check: () => pool.sql(newestColumns),
    deadlineMs: config.STARTUP_DEADLINE,
    remedy: "Check that it runs, that DATABASE_URL names it, and that the migrations were applied.",
    log,
    signal: lifecycle.stopping,
  })
  readiness.set("postgres", true)
  // Reports an outage even while no statement runs.
  const connection = watchDependency({
    check: () => pool.sql("select 1"),
    onState: (available, why) => readiness.set("postgres connection", available, why),
  })
  lifecycle.onStop("health checks", async () => connection.stop())

  const retry: RetryStatement = (what, work) =>
    retryWhileUnavailable({
      what,
      work,
      isTransient: isUnavailable,
      signal: lifecycle.expiring,
      onState: (working, why) => readiness.set("postgres", working, why),
    })
  return { pool, retry }
}
