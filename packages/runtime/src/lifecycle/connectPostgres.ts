import type { Readiness } from "../health/readiness.ts"
import { watchDependency } from "../health/watchDependency.ts"
import type { Logger } from "../logging/logger.ts"
import type { Lifecycle } from "./lifecycle.ts"
import { waitForDependency } from "./waitForDependency.ts"

/** Its commit writes to the log, and so waits for a synchronous standby. That of a transaction with a mere id does not. */
const commit = "select pg_logical_emit_message(true, 'sitewire', '')"

/**
 * Waits until Postgres commits, and closes `pool` when the process stops. In between, the readiness `check` reports an
 * outage, even while no statement runs. For processes whose work has to be committed: the gateway only reads.
 */
export async function connectPostgres(settings: {
  pool: { sql: (text: string) => Promise<unknown>; close: () => Promise<void> }
  /** Fails until the migrations of this version have been applied: the process may start before the setup job ends. */
  newestColumns: string
  check: string
  config: { STARTUP_DEADLINE: number }
  log: Logger
  lifecycle: Lifecycle
  readiness: Readiness
}): Promise<void> {
  const { pool, newestColumns, check, config, log, lifecycle, readiness } = settings
  lifecycle.onStop("postgres", pool.close)
  await waitForDependency({
    name: "Postgres",
    check: () => pool.sql(newestColumns).then(() => pool.sql(commit)),
    deadlineMs: config.STARTUP_DEADLINE,
    remedy: "Check that it runs, that DATABASE_URL names it, and that the migrations were applied.",
    log,
    signal: lifecycle.stopping,
  })
  readiness.set("postgres", true)
  const watch = watchDependency({
    check: () => pool.sql(commit),
    onState: (available, why) => readiness.set(check, available, why),
  })
  lifecycle.onStop("health checks", async () => watch.stop())
}
