import pg from "pg"

export type Row = Record<string, unknown>

export type PoolSettings = {
  url: string
  /** Connections at most. Postgres pays some 10 MB for each, so a service takes few. */
  size: number
  /** Shown in pg_stat_activity, so that an operator sees whose statement it is. */
  name: string
  /** A statement that takes longer is cancelled, in milliseconds. */
  statementTimeoutMs?: number
  /** How long a caller waits for a free or new connection, in milliseconds. */
  connectTimeoutMs?: number
}

/**
 * Runs one statement. With `name` it is prepared once a connection, which halves the cost of the large ones.
 * Rejects with the driver's error; `isUnavailable` tells a database that is away from a statement that is wrong.
 */
export type Sql = <R extends Row = Row>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<R[]>

export type Pool = { sql: Sql; driver: pg.Pool; close(): Promise<void> }

/** A server whose host is gone cannot cancel a statement, so its answer is waited for this much longer and no more. */
const silenceMs = 2_000

/** Opens no connection yet; the first statement does. */
export function openPool(settings: PoolSettings, onIdleError: (error: Error) => void = () => {}): Pool {
  const statementTimeoutMs = settings.statementTimeoutMs ?? 30_000
  const driver = new pg.Pool({
    connectionString: settings.url,
    max: settings.size,
    application_name: settings.name,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + silenceMs,
    connectionTimeoutMillis: settings.connectTimeoutMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    // A statement's plan is kept, and one that was made while a table was nearly empty reads it from end to end when it
    // has grown. What has no index is read so all the same.
    options: "-c enable_seqscan=off",
    keepAlive: true,
    // Two hours by the kernel's default.
    keepAliveInitialDelayMillis: 10_000,
  })
  // Without a listener, a connection that breaks while idle ends the process.
  driver.on("error", onIdleError)
  return {
    driver,
    sql: async <R extends Row>(text: string, values: readonly unknown[] = [], name?: string) => {
      const result = await driver.query<R>({ text, values: [...values], ...(name ? { name } : {}) })
      return result.rows
    },
    close: () => driver.end(),
  }
}
