import { openPool } from "@sitewire/database"
import { databaseAccess, runService, waitForDependency, watchDependency } from "@sitewire/runtime"
import { consoleVariables } from "./config.ts"
import { createConsole } from "./createConsole.ts"

/** Fails until the migrations of this version have been applied: the process may start before the setup job ends. */
const newestColumns =
  "select w.attempts, c.partner_may_change_address, p.expires_at, o.mailed from waiting_delivery w, channel c, previous_snapshot p, operator_problem o limit 0"

await runService({
  name: "console",
  variables: consoleVariables,
  checks: ["postgres"],
  // Kafka is not required for readiness, because operators need the console to inspect and pause channels
  // while Kafka is unavailable.
  optionalChecks: ["kafka"],
  async start({ config, log, lifecycle, readiness, metrics, announce }) {
    const pool = openPool({
      ...databaseAccess(config),
      size: config.DATABASE_POOL_SIZE,
      name: "sitewire-console",
    })
    lifecycle.onStop("postgres", () => pool.close())
    await waitForDependency({
      name: "Postgres",
      check: () => pool.sql(newestColumns),
      deadlineMs: config.STARTUP_DEADLINE,
      remedy: "Start it, or correct DATABASE_URL; its migrations must have been applied.",
      log,
      signal: lifecycle.stopping,
    })
    readiness.set("postgres", true)
    const postgres = watchDependency({
      check: () => pool.sql("select 1"),
      onState: (available, why) => readiness.set("postgres", available, why),
    })
    lifecycle.onStop("health checks", async () => postgres.stop())

    const { port } = await createConsole({ config, log, lifecycle, readiness, metrics, pool })
    announce({ console: `http://127.0.0.1:${port}` })
  },
})
