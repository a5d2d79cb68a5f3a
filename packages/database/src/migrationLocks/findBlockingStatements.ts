import pg from "pg"
import { concurrentIndex } from "../concurrentIndex.ts"
import { splitStatements } from "../splitStatements.ts"
import { smallTables } from "./tables.ts"

/** `modes`: the locks that the transaction has on the table. `scans`: how often it scanned the table or an index. */
type TableState = { file: string; indexFiles: Record<string, string>; scans: number; modes: string[] }

/** Lock modes for which `insert`, `update` and `delete` wait, strongest first. */
const blockingModes = ["AccessExclusiveLock", "ExclusiveLock", "ShareRowExclusiveLock", "ShareLock"]

/**
 * Runs a migration, statement by statement, in the transaction in which it would be applied. Describes each statement
 * that makes writers of a large table wait for as long as Postgres reads or writes that table. The tables may be empty.
 * A statement that only changes the catalogue has a strong lock briefly, and is not returned. Also describes a
 * transaction that changes several existing tables, because it can end in a deadlock.
 */
export async function findBlockingStatements(url: string, script: string): Promise<string[]> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    if (concurrentIndex(script) !== null) {
      await session.query(script)
      return []
    }
    await session.query("begin")
    const existing = [...(await readTables(session)).keys()]
    const { rows } = await session.query<{ tables: string[] }>(allTables)
    const found: string[] = []
    for (const statement of splitStatements(script)) {
      const before = await readTables(session)
      await session.query(statement)
      const after = await readTables(session)
      for (const table of existing) {
        const problem = describe(table, existing, before, after)
        if (problem !== null) found.push(`${statement}\n${problem}`)
      }
    }
    const locked = await readExclusivelyLocked(session, rows[0]?.tables ?? [])
    if (locked.length > 1) found.push(describeDeadlock(locked))
    await session.query("commit")
    return found
  } finally {
    await session.end()
  }
}

const allTables =
  "select array_agg(oid::text) as tables from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace"

/** Which of these tables all others can neither read nor write until the transaction ends. Small tables count as well. */
async function readExclusivelyLocked(session: pg.Client, tables: string[]): Promise<string[]> {
  const { rows } = await session.query<{ name: string }>(
    `select relation::regclass::text as name from pg_locks
     where pid = pg_backend_pid() and mode = 'AccessExclusiveLock' and granted and relation = any ($1::oid[]) order by 1`,
    [tables],
  )
  return rows.map(({ name }) => name)
}

function describeDeadlock(tables: readonly string[]): string {
  const names = tables.map((name) => `"${name}"`).join(" and ")
  return `locks ${names} in one transaction, so that a process that locks them in another order ends in a deadlock. Change each table in a migration of its own.`
}

type Tables = Map<string, TableState>

function describe(table: string, existing: readonly string[], before: Tables, after: Tables): string | null {
  const [was, is] = [before.get(table), after.get(table)]
  if (was === undefined || is === undefined) return null
  if (is.file !== was.file)
    return `rewrites "${table}" while all others wait for ${strongest(is)}. Add a nullable column, or one with a constant default, fill it in batches, and drop the old column in a later release.`
  const rewritten = Object.entries(is.indexFiles).some(
    ([index, file]) => (was.indexFiles[index] ?? file) !== file,
  )
  if (rewritten)
    return `rewrites an index of "${table}" while writers wait for ${strongest(is)}. Create another index with CREATE INDEX CONCURRENTLY, in a migration of its own.`
  if (is.scans === was.scans) return null
  // The transaction keeps its locks to its end, so writers of any table that it locked wait during this scan.
  const locked = existing.find((name) => strongest(after.get(name)) !== undefined)
  if (locked !== undefined)
    return `reads "${table}" while writers of "${locked}" wait for ${strongest(after.get(locked))}. ${insteadOfReading}`
  if (is.modes.includes("RowExclusiveLock"))
    return `changes rows of "${table}" in one transaction, so that others who change these rows wait. Change them in batches by a job, or let the services fill in the column as they write.`
  return null
}

const insteadOfReading = [
  "For an index: CREATE INDEX CONCURRENTLY, in a migration of its own.",
  "For a constraint: ADD CONSTRAINT … NOT VALID, and VALIDATE CONSTRAINT in the next migration.",
  "For SET NOT NULL: first validate CHECK (… IS NOT NULL) in these two steps.",
].join(" ")

const strongest = (state: TableState | undefined) => blockingModes.find((mode) => state?.modes.includes(mode))

/** All tables that may be large. */
async function readTables(session: pg.Client): Promise<Tables> {
  const { rows } = await session.query<TableState & { name: string }>(
    `select relname as name, relfilenode::text as file,
       coalesce((select json_object_agg(indexrelid, pg_relation_filenode(indexrelid)::text)
         from pg_index where indrelid = pg_class.oid), '{}') as "indexFiles",
       (pg_stat_get_xact_numscans(oid) + coalesce((select sum(pg_stat_get_xact_numscans(indexrelid))
         from pg_index where indrelid = pg_class.oid), 0))::int as scans,
       array(select mode from pg_locks where relation = pg_class.oid and pid = pg_backend_pid() and granted) as modes
     from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> all ($1)`,
    [["_prisma_migrations", ...smallTables]],
  )
  return new Map(rows.map(({ name, ...state }) => [name, state]))
}
