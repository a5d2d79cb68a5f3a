import {
  connectPostgres,
  databaseAccess,
  type databaseVariables,
  type RetryStatement,
  retryStatements,
  type ServiceParts,
} from "@sitewire/runtime"
import { isUnavailable } from "./isUnavailable.ts"
import { openPool, type Pool } from "./pool.ts"

type Service = Pick<ServiceParts<typeof databaseVariables>, "config" | "log" | "lifecycle" | "readiness">

/** Opens the pool of a service, when Postgres commits. `retry` repeats a statement while Postgres is unavailable. */
export async function openDatabase(
  service: Service,
  { name, newestColumns }: { name: string; newestColumns: string },
): Promise<{ pool: Pool; retry: RetryStatement }> {
  const { config, lifecycle, readiness } = service
  const pool = openPool({
    ...databaseAccess(config),
    size: config.DATABASE_POOL_SIZE,
    name,
    // Leases outlast two statements, and after a kill, what was claimed waits for the end of its lease.
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
