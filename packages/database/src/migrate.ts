import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { concurrentIndex } from "./concurrentIndex.ts"
import { readMigrations } from "./migrations.ts"
import { everything, withSchemaEngine } from "./schemaEngine.ts"

/** The key of our advisory lock: any number that no other advisory lock uses. */
const migrationLock = 7_483_920_114

export type MigrateOptions = {
  migrations?: Migrations
  /**
   * How often a migration is tried if Postgres ends it because a table is in use, or because of a deadlock with a
   * process that locks the same tables. Between two tries, the statements that waited behind the migration are executed.
   */
  attempts?: number
  pauseMs?: number
  /** Called before the pause after each such try. */
  onBusy?: (error: Error, retry: BusyRetry) => void
}

export type BusyRetry = { attempt: number; attempts: number; pauseMs: number }

type Migrations = Awaited<ReturnType<typeof readMigrations>>

/**
 * Returns the names of the migrations that it applied. Writes the same history as `prisma migrate deploy`.
 * May run several times at once.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const { attempts = 6, pauseMs = 5_000, onBusy = () => {} } = options
  const migrationsList = options.migrations ?? (await readMigrations())
  const session = new pg.Client({ connectionString: url, application_name: "sitewire-migrate" })
  await session.connect()
  const applied: string[] = []
  try {
    await acquire(session)
    for (let attempt = 1; ; attempt++) {
      await markRejectedAsRolledBack(session)
      await dropUnfinishedIndexes(session, migrationsList)
      try {
        applied.push(...(await applyMigrations(url, migrationsList)))
        return applied
      } catch (error) {
        if (attempt === attempts || !(error instanceof Error) || !isBusy(error)) throw error
        onBusy(error, { attempt, attempts, pauseMs })
        await sleep(pauseMs)
      }
    }
  } finally {
    await session.end()
  }
}

/** Prisma's engine reports Postgres's errors as texts, and a deadlock as a "write conflict". */
function isBusy(error: Error): boolean {
  return /lock timeout|deadlock detected|write conflict/.test(error.message)
}

/** Polls, because CREATE INDEX CONCURRENTLY waits for every running statement, also for one that waits for this lock. */
async function acquire(session: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await session.query("select pg_try_advisory_lock($1) as acquired", [migrationLock])
    if (rows[0].acquired) return
    await sleep(100)
  }
}

/**
 * After a migration has failed, Prisma's engine applies no others until that one is marked as rolled back.
 * This marks migrations that Postgres rejected: they have a log and, as transactions, changed nothing. A
 * migration whose process was killed has no log and is not marked, because it may have changed something.
 */
async function markRejectedAsRolledBack(session: pg.Client): Promise<void> {
  if (!(await hasHistory(session))) return
  await session.query(
    "update _prisma_migrations set rolled_back_at = now() where finished_at is null and rolled_back_at is null and logs <> ''",
  )
}

/** An interrupted CREATE INDEX CONCURRENTLY leaves an index that is never used, under the name of the wanted one. */
async function dropUnfinishedIndexes(
  session: pg.Client,
  { migrationDirectories }: Migrations,
): Promise<void> {
  if (!(await hasHistory(session))) return
  for (const { path, migrationFile } of migrationDirectories) {
    const index = concurrentIndex(migrationFile.content.value)
    if (index === null) continue
    const { rows } = await session.query(
      "select max(finished_at) is not null as finished from _prisma_migrations where migration_name = $1 and rolled_back_at is null",
      [path],
    )
    if (rows[0].finished) continue
    await session.query(`drop index concurrently if exists ${pg.escapeIdentifier(index)}`)
    await session.query(
      "update _prisma_migrations set rolled_back_at = now() where migration_name = $1 and finished_at is null and rolled_back_at is null",
      [path],
    )
  }
}

async function hasHistory(session: pg.Client): Promise<boolean> {
  const { rows } = await session.query("select to_regclass('_prisma_migrations') is not null as exists")
  return rows[0].exists
}

function applyMigrations(url: string, migrationsList: Migrations): Promise<string[]> {
  return withSchemaEngine(url, undefined, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: everything })
    return appliedMigrationNames
  })
}
