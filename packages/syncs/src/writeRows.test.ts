import { batchWrites } from "@sitewire/database"
import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import {
  addConnections,
  claimAll,
  claimInput,
  emptyDatabase,
  endOf,
  letTimePass,
  minute,
  readWindow,
  trigger,
  unchanged,
} from "../test/fixtures/windows.ts"
import { claimDueSyncs } from "./claimDueSyncs.ts"
import { finishRuns } from "./finishRuns.ts"
import { recordTriggers } from "./recordTriggers.ts"

const ids = ["a", "b", "c", "d"]

test("a row for which no start can be granted is deferred by a window, and the others proceed", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ids)
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 2_000)
  // The next fence would overflow.
  await sql("update sync_window set fence = 9223372036854775807 where connection_id = 'b'")
  const claim = await claimDueSyncs(sql, minute, claimInput(100, 4))
  expect(claim.runs.map(({ connection }) => connection).sort()).toEqual(["a", "c", "d"])
  expect(claim.badRows).toMatchObject([
    { connection: "b", error: { message: expect.stringContaining("range") } },
  ])
  expect(claim.more).toBe(true)
  expect(await claimDueSyncs(sql, minute, claimInput(100, 4))).toMatchObject({
    runs: [],
    badRows: [],
    more: false,
  })
  await letTimePass(sql, 60_000)
  await sql("update sync_window set fence = 1 where connection_id = 'b'")
  expect(await claimDueSyncs(sql, minute, claimInput(100, 4))).toMatchObject({
    runs: expect.arrayContaining([expect.objectContaining({ connection: "b", fence: 2 })]),
    badRows: [],
  })
})

test("if Postgres rejects the end of a run, the ends of the others are recorded", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ids)
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 2_000)
  const { runs } = await claimAll(sql)
  const content = {
    sha256: Buffer.from([1]),
    bytes: 1,
    contentType: "\u0000",
    etag: null,
  }
  const ends = runs.map((run) =>
    endOf(run, run.connection === "c" ? { outcome: "changed", content } : unchanged),
  )
  const finish = batchWrites({
    what: "finish runs",
    owner: "connection",
    idOf: ({ connection }) => connection,
    bounds: { lingerMs: 2, maxBatch: 500, maxRunning: 2 },
    write: (batch: typeof ends) => finishRuns(sql, minute, batch),
    retry: (_what, work) => work(),
    expiring: new AbortController().signal,
    log: createLogger({ service: "test", level: "silent" }),
  })
  const finishes = await Promise.allSettled(ends.map(finish.write))
  for (const [index, { connection }] of ends.entries())
    expect(finishes[index]).toMatchObject(
      connection === "c" ? { status: "rejected" } : { value: { kind: "recorded" } },
    )
  expect(await readWindow(sql, "c")).toMatchObject({ running: true, covered: "0" })
})
