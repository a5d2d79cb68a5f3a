import { expect, test } from "vitest"
import { openPool } from "./pool.ts"

/** Set by vitest's global setup. This package cannot use the testkit, which stands on it. */
const postgresAddress = process.env.DATABASE_URL ?? ""

test("a statement that was prepared over a nearly empty table goes by the index when the table has grown", async () => {
  const pool = openPool({ url: postgresAddress, size: 1, name: "test" })
  try {
    await pool.sql("create temporary table thing (id int primary key, seen int not null default 0)")
    await pool.sql("insert into thing values (1), (2), (3)")
    await pool.sql("analyze thing")
    const see = (ids: number[]) =>
      pool.sql(
        "update thing set seen = seen + 1 from unnest($1::int[]) as t (id) where thing.id = t.id",
        [ids],
        "see",
      )
    // Postgres settles on a plan with the sixth time.
    for (let time = 0; time < 10; time++) await see([1, 2, 3])
    await pool.sql("insert into thing select generate_series(4, 50000)")
    const before = await readFromEndToEnd()
    await see([1, 2, 3])
    expect(await readFromEndToEnd()).toBe(before)
    expect(await pool.sql("select id from thing where seen = 11")).toHaveLength(3)
  } finally {
    await pool.close()
  }

  async function readFromEndToEnd(): Promise<number> {
    await pool.sql("select pg_stat_force_next_flush()")
    const [row] = await pool.sql<{ scans: string }>(
      "select seq_scan as scans from pg_stat_all_tables where relid = 'thing'::regclass",
    )
    return Number(row?.scans)
  }
})
