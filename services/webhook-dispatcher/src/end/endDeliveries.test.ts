import { endExpired } from "@sitewire/deliveries"
import { startDeliveryDatabase } from "@sitewire/deliveries/fixtures/deliveryDatabase"
import { createLogger } from "@sitewire/runtime"
import { expect, onTestFinished, test, vi } from "vitest"
import { expireDeferred } from "./endDeliveries.ts"

const log = createLogger({ service: "test", level: "silent" })

test("a page of deliveries that were deferred at the same time does not hide those behind it", async () => {
  const clock = { now: 0 }
  vi.spyOn(performance, "now").mockImplementation(() => clock.now)
  onTestFinished(() => void vi.restoreAllMocks())
  const pages = [5_000, 5_000, null, null]
  const froms: (number | undefined)[] = []
  const expire = expireDeferred({
    openBreakers: () => [{ key: "acme" }],
    async endExpired(channels) {
      const next = pages[froms.length] ?? null
      froms.push(channels[0]?.from)
      return { expired: [], next: new Map(next === null ? [] : [["acme", next]]) }
    },
    scanFrom: () => 0,
    log,
  })
  for (const _ of pages) {
    await expire()
    clock.now += 1_000
  }
  expect(froms).toEqual([0, 5_000, 5_001, 0])
})

test("thousands of open breakers are checked in turns, some of them each second", async () => {
  const clock = { now: 0 }
  vi.spyOn(performance, "now").mockImplementation(() => clock.now)
  onTestFinished(() => void vi.restoreAllMocks())
  const open = new Set(Array.from({ length: 3_000 }, (_, at) => `channel-${at}`))
  const checked: string[][] = []
  const expire = expireDeferred({
    openBreakers: () => [...open].map((key) => ({ key })),
    endExpired: async (channels) => {
      checked.push(channels.map(({ channel }) => channel))
      return { expired: [], next: new Map() }
    },
    scanFrom: () => 0,
    log,
  })
  for (let poll = 0; poll < 10; poll++) await expire()
  expect(checked).toHaveLength(1)
  while (new Set(checked.flat()).size < open.size && checked.length < 1_000) {
    clock.now += 1_000
    await expire()
  }
  expect(checked).toHaveLength(150)
  expect(Math.max(...checked.map(({ length }) => length))).toBe(20)
  open.delete("channel-0")
  clock.now += 1_000
  await expire()
  expect(checked.at(-1)).toContain("channel-1")
  expect(checked.at(-1)).not.toContain("channel-0")
})

test("a delivery that was deferred again ends in time, although thousands were deferred before it", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await sql(
    `insert into waiting_delivery (delivery_id, channel_id, attempts, deferred_at, deferred_reason)
     select gen_random_uuid(), 'acme', 0, now() - interval '30 minutes' + at * interval '1 millisecond', 'breaker'
       from generate_series(1, 5000) at`,
  )
  const attempted = await insert({
    deferred_at: "now() - interval '10 minutes'",
    deferred_reason: "'breaker'",
    period_started_at: "now() - interval '90 minutes'",
  })
  await sql("insert into unreachable_channel values ('acme', 60 * 60000.0, now())")
  const ended: string[] = []
  const expire = expireDeferred({
    openBreakers: () => [{ key: "acme" }],
    async endExpired(channels) {
      const checked = await endExpired(sql, channels, { periodMs: 80 * 60_000 })
      ended.push(...checked.expired.map(({ delivery }) => delivery))
      return checked
    },
    scanFrom: () => 0,
    log,
  })
  const clock = { now: 0 }
  vi.spyOn(performance, "now").mockImplementation(() => clock.now)
  onTestFinished(() => void vi.restoreAllMocks())
  for (let round = 0; round < 6; round++) {
    await expire()
    clock.now += 1_000
  }
  expect(ended).toEqual([attempted])
})
