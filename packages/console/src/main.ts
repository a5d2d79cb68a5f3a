import { openPool } from "@sitewire/database"
import { connectPostgres, databaseAccess, runService } from "@sitewire/runtime"
import { consoleVariables } from "./config.ts"
import { createConsole } from "./createConsole.ts"

const newestColumns =
  "select w.attempts, c.partner_may_change_address, p.replaced_at, o.mailed from waiting_delivery w, channel c, previous_snapshot p, incident o limit 0"

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
    await connectPostgres({ pool, newestColumns, check: "postgres", config, log, lifecycle, readiness })

    const { port } = await createConsole({ config, log, lifecycle, readiness, metrics, pool })
    announce({ console: `http://127.0.0.1:${port}` })
  },
})
