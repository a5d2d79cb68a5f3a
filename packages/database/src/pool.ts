import pg from "pg"
import { Client, clientClass, type DatabaseAccess } from "./login.ts"

export type Row = Record<string, unknown>

export type PoolSettings = DatabaseAccess & {
  /** The most connections. Each costs Postgres about 10 MB. */
  size: number
  name: string
  statementTimeoutMs?: number
  connectTimeoutMs?: number
}

/**
 * With `name`, the statement is prepared once per connection, which halves the cost of a large statement.
 * Rejects with the driver's error (see `isUnavailable`).
 */
export type Sql = <R extends Row = Row>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<R[]>

export type Pool = {
  sql: Sql
  driver: pg.Pool
  /** How long a call of `sql` takes at most, with the wait for a connection. */
  longestMs: number
  close(): Promise<void>
}

/** If Postgres is unreachable and cannot end a statement, the driver gives up this much after the statement timeout. */
const driverExtraMs = 2_000

/** Longer than any `readPassword` takes, which the pool counts as connecting. */
const passwordWithinMs = 15_000

/**
 * After a failover, the name may still lead to the old primary, a standby that may not know of a token that was replaced. Checked once
 * for each connection, because a demotion ends all connections.
 */
async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>("select pg_is_in_recovery() as standby")
  if (!rows[0]?.standby) return
  const message =
    "Postgres is a standby, and only the primary has all commits. Let DATABASE_URL lead to the primary."
  // The code with which a standby rejects writes.
  throw Object.assign(new Error(message), { code: "25006" })
}

export function openPool(settings: PoolSettings): Pool {
  const { readPassword, statementTimeoutMs = 30_000, connectTimeoutMs = 5_000 } = settings
  const queryTimeoutMs = statementTimeoutMs + driverExtraMs
  const connectionTimeoutMs = connectTimeoutMs + (readPassword === undefined ? 0 : passwordWithinMs)
  const driver = new pg.Pool({
    connectionString: settings.url,
    max: settings.size,
    application_name: settings.name,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    connectionTimeoutMillis: connectionTimeoutMs,
    Client: readPassword === undefined ? Client : clientClass(readPassword, connectTimeoutMs),
    idleTimeoutMillis: 30_000,
    // No sequential scans: a prepared statement that was planned for a nearly empty table would still scan
    // the table when it has grown. No compilation: a plan has a part for each day, and compiling these takes seconds.
    options: "-c enable_seqscan=off -c jit=off",
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    onConnect: requirePrimary,
  })
  // Without a listener, a connection that breaks while idle ends the process.
  driver.on("error", () => {})
  return {
    driver,
    sql: async <R extends Row>(text: string, values: readonly unknown[] = [], name?: string) => {
      const result = await driver.query<R>({ text, values: [...values], ...(name ? { name } : {}) })
      return result.rows
    },
    longestMs: connectionTimeoutMs + queryTimeoutMs,
    close: () => driver.end(),
  }
}
