import { expect, test } from "vitest"
import {
  addConnections,
  claimInput,
  emptyDatabase,
  letTimePass,
  minute,
  trigger,
} from "../test/fixtures/windows.ts"
import { claimDueSyncs } from "./claimDueSyncs.ts"
import { readDueSyncs } from "./readDueSyncs.ts"
import { recordTriggers } from "./recordTriggers.ts"

test("the oldest due sync is that of a host that could be called: a partner's full host is not our delay, a lack of permits is", async () => {
  const { sql } = await emptyDatabase()
  const full = Array.from({ length: 10 }, (_, at) => `full${at}`)
  await addConnections(sql, full, () => "https://full.example/")
  await addConnections(sql, ["other"], () => "https://other.example/")
  await recordTriggers(
    sql,
    minute,
    full.map((id) => trigger(id)),
  )
  await letTimePass(sql, 100_000)
  await recordTriggers(sql, minute, [trigger("other")])
  await letTimePass(sql, 10_000)
  // Moves all but one to the queues of their hosts.
  const { runs } = await claimDueSyncs(sql, minute, claimInput(1, 100))
  expect(runs).toHaveLength(1)
  const waiting = await sql("select from sync_window where waiting_for_host is not null")
  expect(waiting).toHaveLength(10)
  const all = await readDueSyncs(sql, [])
  expect(all.count).toBe(10)
  expect(all.oldestSeconds).toBeGreaterThan(100)
  const ours = await readDueSyncs(sql, ["full.example"])
  expect(ours.count).toBe(10)
  expect(ours.oldestSeconds).toBeGreaterThan(7)
  expect(ours.oldestSeconds).toBeLessThan(100)
  expect((await readDueSyncs(sql, ["full.example", "other.example"])).oldestSeconds).toBe(0)
})
