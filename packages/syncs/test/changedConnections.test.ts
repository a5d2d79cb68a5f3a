import { createHash } from "node:crypto"
import { onOwnConnection, type Pool, type Sql } from "@sitewire/database"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { changeSource } from "../src/changeSource.ts"
import { claimDueSyncs } from "../src/claimDueSyncs.ts"
import { finishRuns } from "../src/finishRuns.ts"
import { recordTriggers } from "../src/recordTriggers.ts"
import type { GrantedRun, SyncResult } from "../src/syncRun.ts"
import { openTransaction } from "./fixtures/openTransaction.ts"
import {
  addConnections,
  claimAll,
  claimOne,
  emptyDatabase,
  endOf,
  failed,
  letTimePass,
  minute,
  readRuns,
  readWindow,
  storeChunk,
  trigger,
  unchanged,
} from "./fixtures/windows.ts"

const source = "https://new.example/data"
const change = { id: "a", source, runner: "pull" } as const

async function makeDue(sql: Sql): Promise<void> {
  await recordTriggers(sql, minute, [trigger("a")])
  await letTimePass(sql, 61_000)
}

async function startRun(sql: Sql): Promise<GrantedRun> {
  await addConnections(sql, ["a"])
  await makeDue(sql)
  return claimOne(sql)
}

const sha256 = (text: string) => createHash("sha256").update(text).digest()

function changed(text: string): SyncResult {
  const content = { sha256: sha256(text), bytes: text.length, contentType: null, etag: '"old"' }
  return { outcome: "changed", content }
}

const chunkOf = ({ connection, fence, grantId }: GrantedRun, text: string) => ({
  ...{ connection, fence, grantId, position: 0 },
  data: Buffer.from(text),
})

/** Runs `within` in a transaction, then `meanwhile` without waiting for its end, and then commits. */
async function whileOpen<T>(
  pool: Pool,
  within: (sql: Sql) => Promise<unknown>,
  meanwhile: () => Promise<T>,
): Promise<T> {
  const client = await pool.driver.connect()
  const sql = (async (text, values = []) => (await client.query(text, [...values])).rows) as Sql
  try {
    await sql("begin")
    await within(sql)
    const started = meanwhile()
    await waitUntil("the other statement to wait", () => isWaiting(sql))
    await sql("commit")
    return await started
  } finally {
    client.release()
  }
}

test("a sync of the old source stores neither content nor its end, and the new source is due in the next window", async () => {
  const { sql } = await emptyDatabase()
  const old = await startRun(sql)
  await storeChunk(sql, chunkOf(old, "early"))
  const before = await readWindow(sql, "a")
  await changeSource(sql, change)
  expect(await storeChunk(sql, chunkOf(old, "late"))).toBe("stale")
  expect(await finishRuns(sql, minute, [endOf(old, changed("old"))])).toEqual([{ kind: "stale" }])
  expect(await sql("select 1 from snapshot")).toEqual([])
  expect(await readRuns(sql, "a")).toMatchObject([{ outcome: "abandoned", error: "source-changed" }])
  const { window_ends_at, due } = await readWindow(sql, "a")
  expect([window_ends_at, due]).toEqual([before.window_ends_at, before.window_ends_at])
  expect((await claimAll(sql)).runs).toEqual([])

  await letTimePass(sql, 61_000)
  const run = await claimOne(sql)
  expect(run).toMatchObject({ source, host: "new.example", fence: 2, triggers: 1, correlation: "c-a" })
  expect(run.firstTriggerAt).toEqual(old.firstTriggerAt)
  await finishRuns(sql, minute, [endOf(run, unchanged)])
  expect(await sql("select 1 from snapshot_chunk")).toEqual([])
})

test("a sync of the new source continues the traces of all waiting triggers, also of those that the discarded sync covered", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  await recordTriggers(sql, minute, [trigger("a", { traceparents: "covered" })])
  await letTimePass(sql, 61_000)
  expect(await claimOne(sql)).toMatchObject({ traceparents: ["covered"] })
  await recordTriggers(sql, minute, [trigger("a", { traceparents: "during" })])
  await changeSource(sql, change)
  await letTimePass(sql, 61_000)
  expect(await claimOne(sql)).toMatchObject({ triggers: 2, traceparents: ["covered", "during"] })
})

test("the validator of the old source is not sent to the new one, whose first failure starts a new series", async () => {
  const { sql } = await emptyDatabase()
  const first = await startRun(sql)
  await storeChunk(sql, chunkOf(first, "old"))
  await finishRuns(sql, minute, [endOf(first, changed("old"))])
  for (let failures = 0; failures < 3; failures++) {
    await makeDue(sql)
    await finishRuns(sql, minute, [endOf(await claimOne(sql), failed)])
  }
  await changeSource(sql, change)
  expect(await readWindow(sql, "a")).toMatchObject({ failures: 0, last_error: null })
  await letTimePass(sql, 61_000)
  const run = await claimOne(sql)
  expect(run).toMatchObject({ etag: null, contentSha256: expect.anything() })
  await finishRuns(sql, minute, [endOf(run, failed)])
  expect(await readWindow(sql, "a")).toMatchObject({ failures: 1, due: 60 })
})

/** A claim that waits after its statement has its snapshot and before it locks rows. */
async function claimSlowly(sql: Sql): Promise<GrantedRun[]> {
  const slowSql: Sql = (text, values) => {
    const slow = text.replace("select clock_timestamp() as at", "select pg_sleep(1), clock_timestamp() as at")
    expect(slow).not.toBe(text)
    return sql(slow, values)
  }
  const ten = { all: 10, slow: 10 }
  return (await claimDueSyncs(slowSql, minute, { total: ten, hosts: [], otherHost: ten })).runs
}

test.each(["null", "source_host"])(
  "a claim that began before the change was committed does not fetch the old source (waiting for host: %s)",
  async (queue) => {
    const { sql, open } = await emptyDatabase()
    await addConnections(sql, ["a"])
    await makeDue(sql)
    await sql(`update sync_window set waiting_for_host = ${queue} from connection where id = connection_id`)
    const changeIt = (within: Sql) => changeSource(within, change)
    expect(await whileOpen(open(), changeIt, () => claimSlowly(sql))).toEqual([])
    expect(await claimOne(sql)).toMatchObject({ source })
  },
)

test("a claim that began before the end of the last run was committed grants no validators of the content before it", async () => {
  const { sql, open } = await emptyDatabase()
  await finishRuns(sql, minute, [endOf(await startRun(sql), changed("first"))])
  await makeDue(sql)
  const late = await claimOne(sql)
  // Its lease ends, so it is due again.
  await makeDue(sql)
  const finishIt = (within: Sql) => finishRuns(within, minute, [endOf(late, changed("second"))])
  const [run] = await whileOpen(open(), finishIt, () => claimSlowly(sql))
  expect(run).toMatchObject({ fence: 3, triggers: 1, contentSha256: null })
  if (run === undefined) throw new Error("no run was granted")
  await finishRuns(sql, minute, [endOf(run, changed("first"))])
  await makeDue(sql)
  expect(await claimOne(sql)).toMatchObject({ etag: '"old"', contentSha256: sha256("first") })
})

test("a trigger that is recorded while a claim waits for its row does not cost the validators", async () => {
  const { sql, open } = await emptyDatabase()
  await finishRuns(sql, minute, [endOf(await startRun(sql), changed("first"))])
  await makeDue(sql)
  const record = (within: Sql) => recordTriggers(within, minute, [trigger("a")])
  const runs = await whileOpen(open(), record, () => claimSlowly(sql))
  expect(runs).toMatchObject([{ triggers: 2, etag: '"old"' }])
})

test("a run of a deleted connection writes nothing, not even a chunk at the moment of the deletion", async () => {
  const { url, sql } = await emptyDatabase()
  const run = await startRun(sql)
  const deletion = await openTransaction(url, "delete from connection where id = 'a'")
  expect(await storeChunk(sql, chunkOf(run, "late"))).toBe("locked")
  await deletion.commit()
  expect(await storeChunk(sql, chunkOf(run, "late"))).toBe("stale")
  expect(await finishRuns(sql, minute, [endOf(run, changed("late"))])).toEqual([{ kind: "stale" }])
  for (const table of ["sync_window", "sync_run", "snapshot", "snapshot_chunk"]) {
    expect(await sql(`select 1 from ${table}`), table).toEqual([])
  }
})

test("triggers that are recorded at the moment of the deletion leave no window", async () => {
  const { sql, open } = await emptyDatabase()
  await addConnections(sql, ["a", "b"])
  await makeDue(sql)
  const deleteIt = (within: Sql) => within("delete from connection where id = 'a'")
  await whileOpen(open(), deleteIt, () => recordTriggers(sql, minute, [trigger("a"), trigger("b")]))
  expect(await sql("select connection_id from sync_window")).toEqual([{ connection_id: "b" }])
})

test.each(["before the change", "during the change, which has locked the connection", "after the change"])(
  "a window that is created %s has the new source",
  async (when) => {
    const { sql, open } = await emptyDatabase()
    await addConnections(sql, ["a"])
    const limited = { ...minute, lockWaitMs: 500 }
    await onOwnConnection(open(), async (first) => {
      await first("begin")
      let waiting: Promise<unknown>
      if (when === "before the change") {
        await recordTriggers(first, minute, [trigger("a")])
        waiting = changeSource(sql, change)
      } else if (when === "after the change") {
        await changeSource(first, change)
        waiting = recordTriggers(sql, minute, [trigger("a")])
      } else {
        await first("select 1 from connection where id = 'a' for update")
        const recording = recordTriggers(sql, limited, [trigger("a")])
        await waitUntil("the trigger to wait", () => isWaiting(sql))
        await changeSource(first, change)
        expect(await recording).toMatchObject({ locked: ["a"] })
        await first("commit")
        waiting = recordTriggers(sql, limited, [trigger("a")])
      }
      let ended = false
      void waiting.finally(() => {
        ended = true
      })
      await waitUntil("the other statement to wait or to end", async () => ended || (await isWaiting(first)))
      await first("commit")
      await waiting
    })
    await letTimePass(sql, 2_000)
    expect(await claimOne(sql)).toMatchObject({ source, triggers: 1 })
  },
)

async function isWaiting(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type in ('Lock', 'Timeout') and pid <> pg_backend_pid()`,
  )
  return row?.waiting === 1
}

test("the window contains the last sync, the last success, and since when syncs fail", async () => {
  const { sql } = await emptyDatabase()
  type Row = { outcome: string; synced: Date; success: Date | null; failing: Date | null }
  const read = async (): Promise<Row> => {
    const [row] = await sql<Row>(
      "select last_outcome as outcome, last_synced_at as synced, last_success_at as success, failing_since as failing from sync_window",
    )
    if (!row) throw new Error("no window")
    return row
  }
  const finishNext = async (result: SyncResult) => {
    await finishRuns(sql, minute, [endOf(await claimOne(sql), result)])
    const row = await read()
    await makeDue(sql)
    return row
  }
  await addConnections(sql, ["a"])
  await makeDue(sql)
  const success = await finishNext(unchanged)
  expect(success).toMatchObject({ outcome: "unchanged", success: success.synced, failing: null })
  const first = await finishNext(failed)
  expect(first).toMatchObject({ outcome: "failed", success: success.synced, failing: first.synced })
  // A trigger came meanwhile: `failures` is 0 again.
  const second = await finishNext(failed)
  expect(second).toMatchObject({ outcome: "failed", success: success.synced, failing: first.synced })
  expect(second.synced.getTime()).toBeGreaterThan(first.synced.getTime())
  const stopped = await finishNext({ outcome: "abandoned", error: "stopped" })
  expect(stopped).toEqual(second)
  const recovered = await finishNext(unchanged)
  expect(recovered).toMatchObject({ outcome: "unchanged", success: recovered.synced, failing: null })
})
