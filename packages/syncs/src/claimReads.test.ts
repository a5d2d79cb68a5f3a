import { createScanStart } from "@sitewire/database"
import { indexEntriesRead } from "@sitewire/testkit"
import { expect, onTestFinished, test, vi } from "vitest"
import {
  addConnections,
  claimInput,
  claimWhileMore,
  emptyDatabase,
  minute,
  trigger,
} from "../test/fixtures/windows.ts"
import { type Claim, claimDueSyncs, continueClaims, queuesAtOnce } from "./claimDueSyncs.ts"
import { readDueSyncs } from "./readDueSyncs.ts"
import { recordTriggers } from "./recordTriggers.ts"

const started = 5_000

test("behind a long transaction, a claim reads no entries of syncs that have started", async () => {
  const { sql, open } = await emptyDatabase(1)
  const ids = Array.from({ length: started }, (_, index) => `c${index}`)
  await addConnections(sql, [...ids, "due"])
  await sql(
    "insert into sync_window (connection_id, requested, due_at) select id, 1, now() - interval '1 minute' from unnest($1::text[]) as id",
    [ids],
  )
  const long = await open().driver.connect()
  onTestFinished(() => long.release(true))
  await long.query("begin isolation level repeatable read")
  await long.query("select from channel")
  await sql("update sync_window set due_at = now() + interval '1 hour'")
  await recordTriggers(sql, { ...minute, settleMs: 0 }, [trigger("due")])
  await sql("analyze sync_window")

  const claimNext = continueClaims((input) => claimDueSyncs(sql, minute, input))
  async function claim() {
    let granted: string[] = []
    const entries = await indexEntriesRead(sql, "sync_window_due_idx", async () => {
      const { runs } = await claimNext(claimInput(10, 10))
      granted = runs.map(({ connection }) => connection)
    })
    return { granted, entries }
  }
  const full = await claim()
  expect(full.granted).toEqual(["due"])
  expect(full.entries).toBeGreaterThan(started)
  const next = await claim()
  expect(next.granted).toEqual([])
  expect(next.entries).toBeLessThan(50)
  expect((await readDueSyncs(sql, [])).unvacuumedRows).toBeGreaterThanOrEqual(started)
})

test("every ten seconds, a claim reads all that is due", () => {
  const clock = { now: 1_000_000 }
  vi.spyOn(performance, "now").mockImplementation(() => clock.now)
  onTestFinished(() => void vi.restoreAllMocks())
  const scanStart = createScanStart()
  expect(scanStart.next()).toBe(0)
  scanStart.found(100_000)
  clock.now += 9_999
  expect(scanStart.next()).toBe(95_000)
  clock.now += 1
  expect(scanStart.next()).toBe(0)
})

test("a claim reads a limited number of hosts' queues, and the next one goes on after them", async () => {
  const { sql } = await emptyDatabase()
  const ids = Array.from({ length: 3 * queuesAtOnce }, (_, n) => `c${String(n).padStart(5, "0")}`)
  const last = ids.at(-1) ?? ""
  await addConnections(sql, ids, (id) => `https://${id}.example/`)
  await sql(
    `insert into sync_window (connection_id, requested, due_at, waiting_for_host)
     select id, 1, now() - interval '1 minute', source_host from connection`,
  )
  await sql("analyze sync_window")
  const full = Object.fromEntries(ids.slice(0, -1).map((id) => [`${id}.example`, 0]))
  const input = claimInput(10, 1, full)
  let claim: Claim | undefined
  const entries = await indexEntriesRead(sql, "sync_window_waiting_idx", async () => {
    claim = await claimDueSyncs(sql, minute, input)
  })
  expect(entries).toBeLessThan(2 * queuesAtOnce)
  expect(claim).toMatchObject({ runs: [], more: true })
  const { runs } = await claimWhileMore(sql, input)
  expect(runs.map(({ connection }) => connection)).toEqual([last])
  // All were read since, so the next claim begins with the first one.
  expect((await claimWhileMore(sql, input)).lastQueue).toBeNull()
})
