import pg from "pg"
import { readMigrations } from "./migrations.ts"
import { everything, withSchemaEngine } from "./schemaEngine.ts"

/** The key of our advisory lock: any number that no other advisory lock uses. */
const migrationLock = 7_483_920_114

/**
 * Returns the names of the migrations that it applied. Writes the same history as `prisma migrate deploy`.
 * May run several times at once.
 */
export async function migrate(url: string): Promise<string[]> {
  const session = new pg.Client({ connectionString: url, application_name: "sitewire-migrate" })
  await session.connect()
  try {
    await session.query("select pg_advisory_lock($1)", [migrationLock])
    await markRejectedAsRolledBack(session)
    return await applyMigrations(url)
  } finally {
    await session.end()
  }
}

/**
 * After a migration has failed, Prisma's engine applies no others until that one is marked as rolled back.
 * This marks migrations that Postgres rejected: they have a log and, as transactions, changed nothing. A
 * migration whose process was killed has no log and is not marked, because it may have changed something.
 */
async function markRejectedAsRolledBack(session: pg.Client): Promise<void> {
  const { rows } = await session.query("select to_regclass('_prisma_migrations') is not null as exists")
  if (!rows[0].exists) return
  await session.query(
    "update _prisma_migrations set rolled_back_at = now() where finished_at is null and rolled_back_at is null and logs <> ''",
  )
}

async function applyMigrations(url: string): Promise<string[]> {
  const migrationsList = await readMigrations()
  return withSchemaEngine(url, undefined, async (engine) => {
    const applied = await engine.applyMigrations({ migrationsList, filters: everything })
    return applied.appliedMigrationNames
  })
}
