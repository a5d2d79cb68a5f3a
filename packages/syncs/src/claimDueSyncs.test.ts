import { expect, test } from "vitest"
import {
  addConnections,
  claimAll,
  claimInput,
  claimOne,
  claimWhileMore,
  emptyDatabase,
  endOf,
  letTimePass,
  minute,
  readRuns,
  readWindow,
  storeChunk,
  trigger,
  unchanged,
} from "../test/fixtures/windows.ts"
import { claimDueSyncs } from "./claimDueSyncs.ts"
import { finishRuns } from "./finishRuns.ts"
import { recordTriggers } from "./recordTriggers.ts"
import type { GrantedRun } from "./syncRun.ts"

test("schedulers that claim at the same time start each window exactly once", async () => {
  const { sql, open } = await emptyDatabase(2)
  const ids = Array.from({ length: 5_000 }, (_, index) => `c${index}`)
  await addConnections(sql, ids, (id) => `https://${Number(id.slice(1)) % 50}.example/${id}`)
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 2_000)
  const granted: GrantedRun[] = []
  const schedulers = Array.from({ length: 8 }, async (_, index) => {
    const pool = open()
    for (let idle = 0; idle < 3; ) {
      const { runs } = await claimDueSyncs(pool.sql, minute, claimInput(40 + index, 100))
      granted.push(...runs)
      idle = runs.length === 0 ? idle + 1 : 0
      // New triggers for the same rows at the same time must not make a running window due.
      const some = runs.slice(0, 5).map(({ connection }) => trigger(connection))
      if (some.length > 0) await recordTriggers(pool.sql, minute, some)
      // Some runs end at once, with new triggers. They must not be due again in this window.
      const ended = runs.slice(3, 8)
      await finishRuns(
        pool.sql,
        minute,
        ended.map((run) => endOf(run, unchanged)),
      )
    }
  })
  await Promise.all(schedulers)
  expect(granted).toHaveLength(ids.length)
  expect(new Set(granted.map(({ connection }) => connection)).size).toBe(ids.length)
  expect(granted.every(({ fence }) => fence === 1)).toBe(true)
})

test("a grant contains what a run needs, and the claim returns the next due time", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"], () => "https://User:pass@Data.Example:8443/x?key=1")
  await addConnections(sql, ["b"])
  await sql(`insert into snapshot (connection_id, fence, content_sha256, etag, bytes)
    values ('a', 0, '\\x01', '"e"', 1)`)
  await recordTriggers(sql, minute, [trigger("a", { count: 7 })])
  await letTimePass(sql, 2_000)
  await recordTriggers(sql, minute, [trigger("b")])
  const claim = await claimAll(sql)
  expect(claim.runs).toMatchObject([
    {
      connection: "a",
      fence: 1,
      runner: "pull",
      source: "https://User:pass@Data.Example:8443/x?key=1",
      host: "data.example:8443",
      triggers: 7,
      correlation: "c-a",
      etag: '"e"',
      contentSha256: Buffer.from([1]),
    },
  ])
  expect(claim.nextDueInMs).toBeGreaterThan(0)
  expect(claim.nextDueInMs).toBeLessThanOrEqual(2_001)
  expect(await readWindow(sql, "a")).toMatchObject({
    claimed: "7",
    covered: "0",
    running: true,
    first_trigger_at: null,
    due: 61,
    window_ends_at: 61,
  })
  expect((await claimAll(sql)).runs).toEqual([])
})

test("no host gets more starts than it has permits, and other hosts are not delayed", async () => {
  const { sql } = await emptyDatabase()
  const busy = Array.from({ length: 600 }, (_, index) => `busy${index}`)
  const other = Array.from({ length: 20 }, (_, index) => `other${index}`)
  await addConnections(sql, busy, () => "https://busy.example/")
  await addConnections(sql, other, () => "https://other.example/")
  await recordTriggers(
    sql,
    minute,
    busy.map((id) => trigger(id)),
  )
  await letTimePass(sql, 1_000)
  await recordTriggers(
    sql,
    minute,
    other.map((id) => trigger(id)),
  )
  await letTimePass(sql, 2_000)
  const first = await claimDueSyncs(sql, minute, claimInput(100, 4, { "busy.example": 3 }))
  expect(first.runs.map(({ host }) => host)).toEqual(Array(3).fill("busy.example"))
  expect(first).toMatchObject({ more: true, limited: true })
  const second = await claimWhileMore(sql, claimInput(100, 4, { "busy.example": 0 }))
  expect(second.runs.map(({ host }) => host)).toEqual(Array(4).fill("other.example"))
  expect(second).toMatchObject({ more: false, limited: true })
  const none = claimInput(100, 4, { "busy.example": 0, "other.example": 0 })
  expect(await claimWhileMore(sql, none)).toMatchObject({ runs: [], limited: true })
})

test("slow connections get half of the permits, in total and of a host, however many are due", async () => {
  const { sql } = await emptyDatabase()
  const hanging = Array.from({ length: 600 }, (_, index) => `hanging${index}`)
  const others = ["beside", "elsewhere"]
  await addConnections(sql, hanging, (id) => `https://host${Number(id.slice(7)) % 20}.example/`)
  await addConnections(sql, others, (id) => `https://${id === "beside" ? "host0" : id}.example/`)
  await recordTriggers(
    sql,
    minute,
    hanging.map((id) => trigger(id)),
  )
  await sql("update sync_window set slow = true")
  await letTimePass(sql, 1_000)
  await recordTriggers(
    sql,
    minute,
    others.map((id) => trigger(id)),
  )
  await letTimePass(sql, 2_000)
  const first = await claimDueSyncs(sql, minute, claimInput(64, 4))
  // All of the 256 rows that were read are slow, and each host has more of them than its share.
  expect(first.runs).toHaveLength(32)
  expect(first.runs.filter(({ host }) => host === "host0.example").length).toBeLessThanOrEqual(2)
  expect(first).toMatchObject({ more: true, limited: true })
  const left = { ...claimInput(64, 4), total: { all: 32, slow: 0 } }
  const second = await claimWhileMore(sql, left)
  expect(second.runs.map(({ connection }) => connection).sort()).toEqual(others)
  expect(second).toMatchObject({ limited: true })
})

test("slow connections of a host leave half of its permits to its other connections", async () => {
  const { sql } = await emptyDatabase()
  const hanging = Array.from({ length: 300 }, (_, index) => `hanging${index}`)
  await addConnections(sql, [...hanging, "well"], () => "https://data.example/")
  await recordTriggers(
    sql,
    minute,
    hanging.map((id) => trigger(id)),
  )
  await sql("update sync_window set slow = true")
  await letTimePass(sql, 1_000)
  await recordTriggers(sql, minute, [trigger("well")])
  await letTimePass(sql, 2_000)
  const hosts = [{ host: "data.example", inFlight: 2, free: { all: 2, slow: 0 }, isProbe: false }]
  const input = { ...claimInput(62, 4), hosts }
  const { runs } = await claimWhileMore(sql, input)
  expect(runs.map(({ connection }) => connection)).toEqual(["well"])
})

const leaseMs = 61_000

test("a run that is lost counts as failed: the first one is repeated at once, and the next ones 2, 4, 8, 15 and 15 windows later", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  const firstAt = "2026-01-01T00:00:00.000Z"
  await recordTriggers(sql, minute, [trigger("a", { first_at: firstAt, traceparents: "first" })])
  await letTimePass(sql, 2_000)
  await claimOne(sql)
  await letTimePass(sql, leaseMs)
  await claimOne(sql)
  expect(await readWindow(sql, "a")).toMatchObject({ running: true, failures: 1, last_error: "lost" })
  for (const [index, windows] of [2, 4, 8, 15, 15].entries()) {
    await letTimePass(sql, leaseMs)
    expect(await claimAll(sql)).toMatchObject({ runs: [], limited: false })
    const waitMs = windows * leaseMs
    const waiting = { running: false, failures: index + 2, due: waitMs / 1_000, last_error: "lost" }
    expect(await readWindow(sql, "a")).toMatchObject(waiting)
    expect((await readRuns(sql, "a")).at(-1)).toMatchObject({ outcome: "abandoned", error: "lost" })
    await letTimePass(sql, waitMs - leaseMs)
    const run = await claimOne(sql)
    expect(run).toMatchObject({ triggers: 1, correlation: "c-a", traceparents: ["first"] })
    expect(run.firstTriggerAt).toEqual(new Date(firstAt))
  }
})

test("a lease may be longer than a window", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  await recordTriggers(sql, minute, [trigger("a")])
  await letTimePass(sql, 2_000)
  const settings = { ...minute, windowMs: 10_000 }
  await claimDueSyncs(sql, settings, claimInput(1, 1))
  expect(await readWindow(sql, "a")).toMatchObject({ due: 55, window_ends_at: 11 })
})

test("due connections of a full host are read once, and claimed oldest first by any scheduler with capacity", async () => {
  const { sql } = await emptyDatabase()
  const full = Array.from({ length: 3_000 }, (_, index) => `full${index}`)
  await addConnections(sql, [...full, "other"], (id) => `https://${id === "other" ? id : "full"}.example/`)
  await recordTriggers(
    sql,
    minute,
    full.map((id) => trigger(id)),
  )
  await letTimePass(sql, 1_000)
  await sql("update sync_window set due_at = due_at - interval '1 minute' where connection_id = 'full2999'")
  await recordTriggers(sql, minute, [trigger("other")])
  await letTimePass(sql, 2_000)
  const isFull = claimInput(100, 4, { "full.example": 0 })
  const { runs } = await claimWhileMore(sql, isFull)
  expect(runs.map(({ connection }) => connection)).toEqual(["other"])
  const readByEachClaim = await sql("select from sync_window where waiting_for_host is null and not running")
  expect(readByEachClaim).toHaveLength(0)
  expect(await claimDueSyncs(sql, minute, isFull)).toMatchObject({ runs: [], more: false, limited: true })
  const elsewhere = await claimDueSyncs(sql, minute, claimInput(100, 4))
  expect(elsewhere.runs).toHaveLength(4)
  expect(elsewhere.runs[0]).toMatchObject({ connection: "full2999", host: "full.example" })
})

test("hosts take turns: with one permit left in total, a connection of an idle host starts before thousands that were due earlier", async () => {
  const { sql } = await emptyDatabase()
  const many = Array.from({ length: 3_000 }, (_, index) => `many${index}`)
  await addConnections(sql, many, (id) => `https://host${Number(id.slice(4)) % 100}.example/`)
  await addConnections(sql, ["well"], () => "https://well.example/")
  await recordTriggers(
    sql,
    minute,
    many.map((id) => trigger(id)),
  )
  await letTimePass(sql, 1_000)
  await recordTriggers(sql, minute, [trigger("well")])
  await letTimePass(sql, 2_000)
  const hosts = Array.from({ length: 100 }, (_, index) => ({
    host: `host${index}.example`,
    inFlight: 3,
    free: { all: 1, slow: 1 },
    isProbe: false,
  }))
  const granted: string[] = []
  for (let claims = 0; claims < 20 && !granted.includes("well"); claims++) {
    const { runs } = await claimDueSyncs(sql, minute, { ...claimInput(1, 4), hosts })
    granted.push(...runs.map(({ connection }) => connection))
  }
  // The first claims read the oldest due connections only.
  expect(granted).toContain("well")
  const reserved = { ...claimInput(10, 4), reserved: 10, hosts }
  expect((await claimDueSyncs(sql, minute, reserved)).runs).toEqual([])
  expect((await claimDueSyncs(sql, minute, { ...reserved, reserved: 8 })).runs).toHaveLength(2)
  await recordTriggers(sql, { ...minute, settleMs: 0 }, [trigger("well")])
  await sql("update sync_window set due_at = now(), running = false where connection_id = 'well'")
  const { runs } = await claimDueSyncs(sql, minute, { ...claimInput(1, 4), hosts })
  expect(runs.map(({ connection }) => connection)).toEqual(["well"])
})

test("the probe of an open circuit breaker is a connection that is not slow, if one waits", async () => {
  const { sql } = await emptyDatabase()
  const ids = ["slow1", "slow2", "quick"]
  await addConnections(sql, ids, () => "https://data.example/")
  for (const id of ids) {
    await recordTriggers(sql, minute, [trigger(id)])
    await letTimePass(sql, 1_000)
  }
  await sql("update sync_window set slow = true where connection_id like 'slow%'")
  await letTimePass(sql, 2_000)
  const probe = { host: "data.example", inFlight: 0, free: { all: 1, slow: 1 }, isProbe: true }
  for (const expected of ["quick", "slow1", "slow2"]) {
    const { runs } = await claimDueSyncs(sql, minute, { ...claimInput(100, 4), hosts: [probe] })
    expect(runs.map(({ connection }) => connection)).toEqual([expected])
  }
})

test("a connection whose source changed while it was queued is claimed for its new host", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"], () => "https://old.example/")
  await recordTriggers(sql, minute, [trigger("a")])
  await letTimePass(sql, 2_000)
  const oldIsFull = claimInput(100, 4, { "old.example": 0, "new.example": 0 })
  expect(await claimWhileMore(sql, oldIsFull)).toMatchObject({ runs: [] })
  await sql("update connection set source = 'https://new.example/'")
  expect((await claimDueSyncs(sql, minute, claimInput(100, 4, { "new.example": 0 }))).runs).toEqual([])
  expect((await claimDueSyncs(sql, minute, oldIsFull)).runs).toEqual([])
  expect(await claimOne(sql)).toMatchObject({ host: "new.example" })
})

test("deleting a connection deletes its syncs, and a new connection with its id is synced", async () => {
  const { sql } = await emptyDatabase()
  const syncOnce = async () => {
    await recordTriggers(sql, minute, [trigger("a")])
    await letTimePass(sql, 62_000)
    const run = await claimOne(sql)
    await storeChunk(sql, { ...run, position: 0, data: Buffer.from("data") })
    const content = { sha256: Buffer.from([1]), bytes: 4, contentType: null, etag: null }
    await finishRuns(sql, minute, [endOf(run, { outcome: "changed", content })])
    return run
  }
  await addConnections(sql, ["a"])
  await syncOnce()
  expect((await syncOnce()).fence).toBe(2)
  await sql("delete from connection where id = 'a'")
  for (const table of ["sync_window", "sync_run", "snapshot", "snapshot_chunk"])
    expect(await sql(`select from ${table}`), table).toHaveLength(0)
  await addConnections(sql, ["a"])
  expect((await syncOnce()).fence).toBe(1)
})

test("runs that are left of a deleted connection prevent no grants, also not for a new connection with its id", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a", "b"])
  await sql(`insert into sync_run (connection_id, fence, started_at, finished_at, outcome, error, triggers, bytes)
    values ('a', 1, now() - interval '1 day', now(), 'failed', 'connect', 5, 7)`)
  await recordTriggers(sql, minute, [trigger("a"), trigger("b")])
  await letTimePass(sql, 2_000)
  const { runs, badRows } = await claimDueSyncs(sql, minute, claimInput(100, 4))
  expect(runs).toHaveLength(2)
  expect(badRows).toEqual([])
  await finishRuns(
    sql,
    minute,
    runs.map((run) => endOf(run, unchanged)),
  )
  expect(await readRuns(sql, "a")).toMatchObject([
    { fence: "1", outcome: "failed", triggers: 5 },
    { fence: "1", outcome: "unchanged", triggers: 1 },
  ])
})
