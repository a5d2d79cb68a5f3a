import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { createSession, type DatabaseAccess } from "./login.ts"
import { migrationNames } from "./migrationNames.ts"

/** The key of our advisory lock: any number that no other uses. */
const migrationLock = 7_483_920_114

/** SQLSTATE codes of a lock timeout and of a deadlock. */
const busyStates = new Set(["55P03", "40P01"])

export type MigrateOptions = Pick<DatabaseAccess, "readPassword"> & {
  migrations?: readonly Migration[]
  /** How long a migration waits for a table's lock. All other statements on the table wait behind it. */
  lockTimeoutMs?: number
  /** How often a migration is tried if a table is in use. Between two tries, the statements that waited behind it are executed. */
  attempts?: number
  pauseMs?: number
  onBusy?: (error: Error, retry: BusyRetry) => void
  /** Called if another connection has had the lock of migrations for this long, and again after twice, four times as long and so on. */
  onLocked?: (holder: LockHolder) => void
  lockReportMs?: number
}

export type BusyRetry = { attempt: number; attempts: number; pauseMs: number }

/** `address` and `since` are null if our account may not know them. */
export type LockHolder = { pid: number; address: string | null; since: Date | null; waitedMs: number }

/** Applies the migrations that are not in the database's history, and returns their names. Writes the history of `prisma migrate deploy`. */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = options.migrations ?? (await readMigrations())
  const access = { url, readPassword: options.readPassword }
  const lock = createSession(access, "sitewire-migrate-lock")
  const session = createSession(access, "sitewire-migrate")
  try {
    for (const each of [lock, session]) {
      // Without a listener, a connection that breaks during a pause ends the process. The next statement rejects.
      each.on("error", () => {})
      await each.connect()
    }
    await acquireLock(lock, options)
    await ensureHistory(session)
    const pending = await findPending(session, migrations)
    for (const migration of pending) await applyWhenFree(session, migration, options)
    return pending.map(({ name }) => name)
  } finally {
    await Promise.allSettled([session.end(), lock.end()])
  }
}

/**
 * The lock's transaction is idle for as long as the migrations take. Without a probe of the connection, Postgres would notice after two
 * hours (Linux's default) that the node of the job was lost, and all other jobs would wait.
 */
const beginLock = `begin; set local idle_in_transaction_session_timeout = 0;
  set local tcp_keepalives_idle = 30; set local tcp_keepalives_interval = 10; set local tcp_keepalives_count = 3;
  set local tcp_user_timeout = '60s'`

/**
 * The lock is that of a transaction, because a pooler of transactions would give a session's lock to others. Polls, because CREATE INDEX
 * CONCURRENTLY waits for every running statement, also for one that waits for this lock. It does not wait for a transaction that is
 * idle, unless its last statement had parameters. Who waits has no transaction, which would occupy a connection of a pooler.
 */
async function acquireLock(
  lock: pg.Client,
  { onLocked = () => {}, lockReportMs = 5_000 }: MigrateOptions,
): Promise<void> {
  const startedAt = performance.now()
  let reportAtMs = lockReportMs
  for (;;) {
    await lock.query(beginLock)
    const { rows } = await lock.query(`select pg_try_advisory_xact_lock(${migrationLock}) as acquired`)
    if (rows[0].acquired) return
    await lock.query("rollback")
    const waitedMs = Math.round(performance.now() - startedAt)
    if (waitedMs >= reportAtMs) {
      reportAtMs *= 2
      const holder = await findLockHolder(lock)
      if (holder) onLocked({ ...holder, waitedMs })
    }
    await sleep(100)
  }
}

/** Undefined: the lock has been released meanwhile. */
async function findLockHolder(lock: pg.Client): Promise<Omit<LockHolder, "waitedMs"> | undefined> {
  const { rows } = await lock.query(
    `select pid, host(client_addr) as address, xact_start as since
     from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and datid = database and datname = current_database()
       and classid::bigint << 32 | objid::bigint = ${migrationLock}`,
  )
  return rows[0]
}

/** Prisma's own statement. Of its columns, we leave those of failures null: a migration that fails has no row. */
const createHistory = `
create table _prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`

/** `create table if not exists` would need the right to create tables, also if the table exists. */
async function ensureHistory(session: pg.Client): Promise<void> {
  const { rows } = await session.query("select to_regclass('_prisma_migrations') is not null as exists")
  if (!rows[0].exists) await session.query(createHistory)
}

async function findPending(session: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await session.query<{ name: string; checksum: string }>(
    "select migration_name as name, checksum from _prisma_migrations where finished_at is not null and rolled_back_at is null",
  )
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  const edited = migrations.find(
    ({ name, script }) => applied.has(name) && applied.get(name) !== checksumOf(script),
  )
  if (edited)
    throw new Error(
      `The migration ${edited.name} has changed since it was applied. Before 0.1.0, the first migration is edited in place: create a new database (on your machine: npm run reset).`,
    )
  return migrations.filter(({ name }) => !applied.has(name))
}

async function applyWhenFree(
  session: pg.Client,
  migration: Migration,
  { lockTimeoutMs = 3_000, attempts = 6, pauseMs = 5_000, onBusy = () => {} }: MigrateOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await apply(session, migration, lockTimeoutMs)
    } catch (error) {
      const isBusy = error instanceof pg.DatabaseError && busyStates.has(error.code ?? "")
      if (!isBusy || attempt === attempts)
        throw new Error(`The migration ${migration.name} failed: ${error}`, { cause: error })
      onBusy(error, { attempt, attempts, pauseMs })
      await sleep(pauseMs)
    }
  }
}

async function apply(session: pg.Client, migration: Migration, lockTimeoutMs: number): Promise<void> {
  const { name, script } = migration
  const index = concurrentIndex(script)
  if (index !== null) {
    // An interrupted try leaves an index that is never used, under this name.
    await session.query(`drop index concurrently if exists ${pg.escapeIdentifier(index)}`)
    // Without a lock timeout: it waits for the end of all earlier transactions, and nobody waits for it.
    await session.query(script)
    return record(session, migration)
  }
  await session.query("begin")
  try {
    await session.query(`set local lock_timeout = ${lockTimeoutMs}`)
    await session.query(script)
    await record(session, { name, script })
    await session.query("commit")
  } catch (error) {
    // The connection may be broken, which rolls back as well.
    await session.query("rollback").catch(() => {})
    throw error
  }
}

async function record(session: pg.Client, { name, script }: Migration): Promise<void> {
  await session.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values (gen_random_uuid(), $1, $2, clock_timestamp(), 1)`,
    [checksumOf(script), name],
  )
}

function checksumOf(script: string): string {
  return createHash("sha256").update(script).digest("hex")
}

export type Migration = { name: string; script: string }

/** This version's migrations, oldest first. */
export async function readMigrations(): Promise<Migration[]> {
  const folder = new URL("../../../prisma/migrations/", import.meta.url)
  const read = async (name: string) => ({
    name,
    script: await readFile(new URL(`${name}/migration.sql`, folder), "utf8"),
  })
  return Promise.all((await migrationNames()).map(read))
}

const createConcurrently = /^(?:\s|--.*\n)*create\s+(?:unique\s+)?index\s+concurrently\s+"?(\w+)"?\s+on\s/i

/**
 * The name of the index, if the migration begins with CREATE INDEX CONCURRENTLY, which builds an index while writers
 * continue. Postgres rejects the statement within a transaction, and therefore beside others in the same migration.
 */
export function concurrentIndex(script: string): string | null {
  return createConcurrently.exec(script)?.[1] ?? null
}
