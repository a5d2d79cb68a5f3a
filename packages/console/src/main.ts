import { openPool } from "@sitewire/database"
import { runService, waitForDependency, watchDependency } from "@sitewire/runtime"
import { consoleVariables } from "./config.ts"
import { createConsole } from "./createConsole.ts"

/** Fails until the migrations of this version have been applied: the process may start before the setup job ends. */
const newestColumns =
  "select w.attempts, c.send_traceparent, p.expires_at, n.mailed from waiting_delivery w, channel c, previous_snapshot p, notification n limit 0"

await runService({
  name: "console",
  variables: consoleVariables,
  checks: ["postgres"],
  // Kafka is not required for readiness, because operators need the console to inspect and pause channels
  // while Kafka is unavailable.
  optionalChecks: ["kafka"],
  async start({ config, log, lifecycle, readiness, metrics, announce }) {
    const pool = openPool({
      url: config.DATABASE_URL,
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
