import { createHash } from "node:crypto"
import type { Sql } from "@sitewire/database"
import { expect, test } from "vitest"
import { openTransaction } from "../test/fixtures/openTransaction.ts"
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
} from "../test/fixtures/windows.ts"
import { finishRuns } from "./finishRuns.ts"
import { recordTriggers } from "./recordTriggers.ts"
import type { GrantedRun, SyncResult } from "./syncRun.ts"

const connection = "a"

async function startedRun(sql: Sql): Promise<GrantedRun> {
  await addConnections(sql, [connection])
  await recordTriggers(sql, minute, [trigger(connection)])
  await letTimePass(sql, 2_000)
  return await claimOne(sql)
}

function changed(text: string, etag: string | null = null): SyncResult {
  const sha256 = createHash("sha256").update(text).digest()
  const content = { sha256, bytes: text.length, contentType: "text/plain", etag }
  return { outcome: "changed", content }
}

const readSnapshots = (sql: Sql) =>
  sql("select fence, content_sha256, etag, bytes from snapshot where connection_id = $1", [connection])
const readChunks = (sql: Sql) =>
  sql("select fence, data from snapshot_chunk where connection_id = $1 order by fence, position", [
    connection,
  ])

test("the status of a failed run is stored with it, and a run without a response has none", async () => {
  const { sql } = await emptyDatabase()
  const statuses = async () => ({
    window: await sql("select last_error as error, last_status as status from sync_window"),
    runs: await sql("select error, status from sync_run order by fence"),
  })
  const badGateway: SyncResult = { outcome: "failed", error: "status", status: 502, detail: "" }
  await finishRuns(sql, minute, [endOf(await startedRun(sql), badGateway)])
  const first = { error: "status", status: 502 }
  expect(await statuses()).toEqual({ window: [first], runs: [first] })
  await letTimePass(sql, 600_000)
  await finishRuns(sql, minute, [endOf(await claimOne(sql), failed)])
  const second = { error: "connect", status: null }
  expect(await statuses()).toEqual({ window: [second], runs: [first, second] })
})

test("a failed sync is retried 1, 2, 4, 8, 15 and 15 windows later, and covers no trigger", async () => {
  const { sql } = await emptyDatabase()
  let run = await startedRun(sql)
  for (const windows of [1, 2, 4, 8, 15, 15]) {
    await finishRuns(sql, minute, [endOf(run, failed)])
    expect(await readWindow(sql, connection)).toMatchObject({
      covered: "0",
      due: windows * 60,
      window_ends_at: 60,
      last_error: "connect",
    })
    await letTimePass(sql, windows * 60_000)
    run = await claimOne(sql)
  }
  await finishRuns(sql, minute, [endOf(run, unchanged)])
  expect(await readWindow(sql, connection)).toMatchObject({ covered: "1", failures: 0, last_error: null })
})

test("a run whose fence is not the newest writes nothing", async () => {
  const { sql } = await emptyDatabase()
  const old = await startedRun(sql)
  await letTimePass(sql, 61_000)
  const run = await claimOne(sql)
  const { fence, grantId } = run
  const newest = { connection, fence, grantId, position: 0, data: Buffer.from("new") }
  expect(await storeChunk(sql, newest)).toBe("stored")
  // Again, as after a lost database connection.
  expect(await storeChunk(sql, newest)).toBe("stored")
  const before = [await readWindow(sql, connection), await readRuns(sql, connection)]
  const late = { ...newest, fence: old.fence, grantId: old.grantId, position: 0, data: Buffer.from("old") }
  expect(await storeChunk(sql, late)).toBe("stale")
  const end = endOf(old, changed("old"))
  expect(await finishRuns(sql, minute, [end])).toEqual([{ kind: "stale" }])
  expect([await readWindow(sql, connection), await readRuns(sql, connection)]).toEqual(before)
  expect(await readSnapshots(sql)).toEqual([])
  expect(await readChunks(sql)).toEqual([{ fence: "2", data: Buffer.from("new") }])

  await finishRuns(sql, minute, [endOf(run, changed("new"))])
  await finishRuns(sql, minute, [{ ...end, fence, grantId }])
  expect(await storeChunk(sql, { ...newest, position: 1 })).toBe("stale")
  expect(await readSnapshots(sql)).toMatchObject([{ fence: "2", bytes: "3" }])
})

test("a run whose grant Postgres lost writes nothing, although a later run has the same fence", async () => {
  const { sql } = await emptyDatabase()
  const lost = await startedRun(sql)
  // As after a failover to a standby without the commit of the grant.
  await sql("delete from sync_run")
  await sql(
    `update sync_window set fence = 0, grant_id = null, claimed = 0, running = false, window_ends_at = null,
       due_at = clock_timestamp() - interval '1 second'`,
  )
  const run = await claimOne(sql)
  expect(run.fence).toBe(lost.fence)
  const chunk = { position: 0, data: Buffer.from("lost") }
  expect(await storeChunk(sql, { ...lost, ...chunk })).toBe("stale")
  expect(await storeChunk(sql, { ...run, ...chunk, data: Buffer.from("new") })).toBe("stored")
  expect(await finishRuns(sql, minute, [endOf(lost, changed("lost"))])).toEqual([{ kind: "stale" }])
  // Both runs in one batch, as if they belonged to one scheduler.
  const both = [endOf(lost, changed("lost")), endOf(run, changed("new"))]
  expect(await finishRuns(sql, minute, both)).toMatchObject([{ kind: "stale" }, { kind: "recorded" }])
  expect(await readChunks(sql)).toEqual([{ fence: "1", data: Buffer.from("new") }])
  expect(await readSnapshots(sql)).toMatchObject([{ fence: "1", bytes: "3" }])
})

test("an end that is recorded again, because the response to its commit was lost, has the same result and writes nothing", async () => {
  const { sql } = await emptyDatabase()
  let run = await startedRun(sql)
  await finishRuns(sql, minute, [endOf(run, failed)])
  await letTimePass(sql, 60_000)
  run = await claimOne(sql)
  expect(run.waitedFor).toBe("after_failure")
  const [first] = await finishRuns(sql, minute, [endOf(run, changed("data"))])
  expect(first).toMatchObject({ kind: "recorded", dueInMs: null })
  const before = [
    await readWindow(sql, connection),
    await readRuns(sql, connection),
    await readSnapshots(sql),
  ]
  const [again] = await finishRuns(sql, minute, [endOf(run, changed("other"))])
  const syncedMs = first !== "locked" && first?.kind === "recorded" ? first.syncedMs : null
  expect(syncedMs).toBeGreaterThan(0)
  expect(again).toEqual({ ...(first as object), syncedMs: expect.closeTo(syncedMs ?? 0, -1) })
  expect([
    await readWindow(sql, connection),
    await readRuns(sql, connection),
    await readSnapshots(sql),
  ]).toEqual(before)
})

test("a row that another transaction has locked does not delay the ends of other runs, and its own is recorded afterwards", async () => {
  const { url, sql } = await emptyDatabase()
  const ids = ["a", "b", "c"]
  await addConnections(sql, ids)
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 2_000)
  const { runs } = await claimAll(sql)
  const ends = runs.map((run) => endOf(run, unchanged))
  const lock = await openTransaction(url, "update sync_window set slow = slow where connection_id = 'b'")
  const finishes = await finishRuns(sql, minute, ends)
  for (const [index, { connection }] of ends.entries()) {
    if (connection === "b") expect(finishes[index]).toBe("locked")
    else expect(finishes[index]).toMatchObject({ kind: "recorded", dueInMs: null })
  }
  await lock.rollback()
  const locked = ends.filter((end) => end.connection === "b")
  expect(await finishRuns(sql, minute, locked)).toMatchObject([{ kind: "recorded", dueInMs: null }])
  expect(await readWindow(sql, "b")).toMatchObject({ covered: "1", running: false })
})

test("changed content replaces the snapshot, the content before stays, and older chunks and those of crashed runs are deleted", async () => {
  const { sql } = await emptyDatabase()
  const first = await startedRun(sql)
  const chunk = ({ fence, grantId }: GrantedRun, text: string) =>
    storeChunk(sql, { connection, fence, grantId, position: 0, data: Buffer.from(text) })
  const nextRun = async () => {
    await letTimePass(sql, 61_000)
    await recordTriggers(sql, minute, [trigger(connection)])
    await letTimePass(sql, 2_000)
    return await claimOne(sql)
  }
  await chunk(first, "one")
  await finishRuns(sql, minute, [endOf(first, changed("one", '"1"'))])
  const lost = await nextRun()
  await chunk(lost, "lost")

  const second = await nextRun()
  expect(second.fence).toBe(3)
  await chunk(second, "one")
  const same = { ...changed("one", '"2"'), outcome: "unchanged" as const } as SyncResult
  await finishRuns(sql, minute, [endOf(second, same)])
  expect(await readChunks(sql)).toEqual([{ fence: "1", data: Buffer.from("one") }])
  expect(await readSnapshots(sql)).toMatchObject([{ fence: "1", etag: '"2"' }])

  const third = await nextRun()
  await chunk(third, "two")
  await finishRuns(sql, minute, [endOf(third, changed("two"))])
  const one = { fence: "1", data: Buffer.from("one") }
  const two = { fence: String(third.fence), data: Buffer.from("two") }
  expect(await readChunks(sql)).toEqual([one, two])
  expect(await readSnapshots(sql)).toMatchObject([{ fence: two.fence, etag: null }])
  const outcomes = (await readRuns(sql, connection)).map(({ outcome }) => outcome)
  expect(outcomes).toEqual(["changed", "abandoned", "unchanged", "changed"])
  const readPrevious = () => sql("select fence, bytes from previous_snapshot order by fence")
  expect(await readPrevious()).toEqual([{ fence: "1", bytes: "3" }])

  // Neither a run without a change nor a failed one touches them.
  await finishRuns(sql, minute, [endOf(await nextRun(), failed)])
  await letTimePass(sql, 600_000)
  await finishRuns(sql, minute, [endOf(await claimOne(sql), unchanged)])
  expect(await readChunks(sql)).toEqual([one, two])
  expect(await readPrevious()).toEqual([{ fence: "1", bytes: "3" }])

  const last = await nextRun()
  await chunk(last, "three")
  await finishRuns(sql, minute, [endOf(last, changed("three"))])
  const three = { fence: String(last.fence), data: Buffer.from("three") }
  expect(await readChunks(sql)).toEqual([one, two, three])
  expect(await readPrevious()).toMatchObject([{ fence: "1" }, { fence: two.fence }])
})

test("a replaced content is stored for 10 minutes", async () => {
  const { sql } = await emptyDatabase()
  const nextRun = async () => {
    await recordTriggers(sql, minute, [trigger(connection)])
    await letTimePass(sql, 62_000)
    return await claimOne(sql)
  }
  const store = async (run: GrantedRun, text: string) => {
    const { fence, grantId } = run
    await storeChunk(sql, { connection, fence, grantId, position: 0, data: Buffer.from(text) })
    await finishRuns(sql, minute, [endOf(run, changed(text))])
  }
  await store(await startedRun(sql), "one")
  await store(await nextRun(), "two")
  await store(await nextRun(), "three")
  const replaced = (ago: string) =>
    sql("update previous_snapshot set replaced_at = now() - $1::interval where fence = 1", [ago])
  await replaced("9 minutes")
  await finishRuns(sql, minute, [endOf(await nextRun(), unchanged)])
  expect(await readChunks(sql)).toMatchObject([{ fence: "1" }, { fence: "2" }, { fence: "3" }])
  await replaced("11 minutes")
  await finishRuns(sql, minute, [endOf(await nextRun(), unchanged)])
  expect(await readChunks(sql)).toMatchObject([{ fence: "2" }, { fence: "3" }])
  expect(await sql("select fence from previous_snapshot")).toMatchObject([{ fence: "2" }])
})

test("a changed content leaves one unpublished change of its connection, the newest, and others leave none", async () => {
  const { sql } = await emptyDatabase()
  const readUnpublished = () => sql("select connection_id, fence from unpublished_change")
  await finishRuns(sql, minute, [endOf(await startedRun(sql), unchanged)])
  expect(await readUnpublished()).toEqual([])
  for (const fence of ["2", "3"]) {
    await recordTriggers(sql, minute, [trigger(connection)])
    await letTimePass(sql, 62_000)
    await finishRuns(sql, minute, [endOf(await claimOne(sql), changed(fence))])
    expect(await readUnpublished()).toEqual([{ connection_id: connection, fence }])
  }
  await sql("delete from connection")
  expect(await readUnpublished()).toEqual([{ connection_id: connection, fence: null }])
})

test("many runs end in one statement, and the results are in their order", async () => {
  const { sql } = await emptyDatabase()
  const ids = Array.from({ length: 40 }, (_, index) => `c${index}`)
  await addConnections(sql, ids)
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 2_000)
  const { runs } = await claimAll(sql)
  const completions = runs.map((run, index) =>
    endOf({ ...run, fence: index % 4 === 0 ? run.fence + 1 : run.fence }, index % 2 ? failed : unchanged),
  )
  const finishes = await finishRuns(sql, minute, completions)
  for (const [index, finish] of finishes.entries()) {
    if (index % 4 === 0) expect(finish).toEqual({ kind: "stale" })
    else if (index % 2) expect(finish).toMatchObject({ kind: "recorded", syncedMs: null })
    else expect(finish).toMatchObject({ kind: "recorded", dueInMs: null })
  }
})
