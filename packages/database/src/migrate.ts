import pg from "pg"
import { readMigrations } from "./migrations.ts"
import { everything, withSchemaEngine } from "./schemaEngine.ts"

/** Any number will do, as long as nothing else in the database locks the same one. */
const migrationLock = 7_483_920_114

/**
 * Applies the migrations that the database does not have yet and returns their names. The history is written to
 * `_prisma_migrations` with the usual checksums, so `prisma migrate deploy` can take over anywhere. Safe to run from
 * several places at once: the lock is held by a session, so a killed migration lets go of it.
 */
export async function migrate(url: string): Promise<string[]> {
  const session = new pg.Client({ connectionString: url, application_name: "sitewire-migrate" })
  await session.connect()
  try {
    await session.query("select pg_advisory_lock($1)", [migrationLock])
    await forgetRefused(session)
    return await applyMigrations(url)
  } finally {
    await session.end()
  }
}

/**
 * The engine applies nothing where a migration has failed, until somebody says what is left of it. Of one that Postgres
 * refused nothing is: it is one transaction. Of one that was killed nobody knows; that has no log.
 */
async function forgetRefused(session: pg.Client): Promise<void> {
  const { rows } = await session.query("select to_regclass('_prisma_migrations') is not null as there")
  if (!rows[0].there) return
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
