import { clockMarginMs, invalidRecordHeaders } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { subjectOf } from "@sitewire/erasure"
import type { Incoming } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { begin, end, endErasure, read, refusedRecord } from "../../../test/fixtures/jobs.ts"
import { startConsoles } from "../../../test/fixtures/startConsoles.ts"
import { KafkaAway } from "../job.ts"
import { countReplay, stepReplay } from "./replayStep.ts"

test("a replay publishes refused records as they came, those that match, once, up to the end that it found", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const refused = (n: number, reason: string, value: Buffer) =>
    refusedRecord(it, { key: `event-${n}`, value, reason, offset: n, headers: { correlation: `c-${n}` } })
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
  await it.publish([
    ...Array.from({ length: 20 }, (_, n) => refused(n, "unknown channel", Buffer.from(`{"n":${n}}`))),
    refused(20, "not JSON", bytes),
  ])
  const filter = { reason: "unknown" }
  const dry = { filter, reason: "r", dry_run: true }
  expect((await it.call(console, "POST", "/v1/jobs/replay", dry)).json).toEqual({
    dry_run: true,
    matching: 20,
    left_out: 0,
    complete: true,
  })
  expect(await it.read(it.names.sitePaid)).toEqual([])

  const { id } = await begin(it, console, "replay", { filter, reason: "the channel exists now" })
  expect(await end(it, console, id)).toMatchObject({ state: "done", counts: { read: 21, replayed: 20 } })
  const replayed = await it.read(it.names.sitePaid)
  expect(replayed.map(({ key }) => key).toSorted()).toEqual(
    Array.from({ length: 20 }, (_, n) => `event-${n}`).toSorted(),
  )
  for (const { key, value, headers } of replayed) {
    const n = key?.slice(6)
    expect({ value: String(value), headers }).toEqual({
      value: `{"n":${n}}`,
      headers: { correlation: `c-${n}` },
    })
  }
  const again = await begin(it, console, "replay", { filter: { reason: "not JSON" }, reason: "r" })
  await end(it, console, again.id)
  const last = (await it.read(it.names.sitePaid)).find(({ key }) => key === "event-20")
  expect(last?.value?.equals(bytes)).toBe(true)
})

test("a replay keeps to its time and its pace, and goes on where its console was killed", async () => {
  await using it = await startConsoles()
  const first = await it.console()
  const refuse = (from: number, to: number) =>
    it.publish(
      Array.from({ length: to - from }, (_, n) =>
        refusedRecord(it, { key: `event-${from + n}`, value: Buffer.from("{}"), reason: "unknown channel" }),
      ),
    )
  const moment = async () => {
    const at = Date.now()
    await waitUntil("the next millisecond", () => Date.now() > at + 1)
    return new Date().toISOString()
  }
  await refuse(0, 10)
  const from = await moment()
  await refuse(10, 1_110)
  const to = await moment()
  await refuse(1_110, 1_120)

  const asked = { filter: { from, to }, reason: "r", per_second: 25 }
  const { id, per_second } = await begin(it, first, "replay", asked)
  expect(per_second).toBe(25)
  await waitUntil(
    "some to be replayed",
    async () => ((await read(it, first, id)).counts.replayed ?? 0) >= 500,
  )
  await first.end("SIGKILL")
  expect((await it.read(it.names.sitePaid)).length).toBeLessThan(1_100)
  // A piece of 500 at 25 a second: 20 seconds until the next. The others need not be waited for.
  const [job] = await it.sql<{ rest: number }>(
    "select extract(epoch from (position::jsonb ->> 'notBefore')::timestamptz - created_at)::float8 as rest from job",
  )
  expect(job?.rest).toBeGreaterThanOrEqual(20)
  await it.sql("update job set position = position::jsonb - 'notBefore' || '{\"perSecond\": 1000}'")
  const second = await it.console()
  expect(await end(it, second, id)).toMatchObject({ state: "done", counts: { replayed: 1_100 } })
  const replayed = (await it.read(it.names.sitePaid)).map(({ key }) => key)
  expect(new Set(replayed)).toEqual(new Set(Array.from({ length: 1_100 }, (_, n) => `event-${10 + n}`)))
  expect(replayed.length).toBeLessThanOrEqual(1_100 + 500)
}, 60_000)

test("a replay after an erasure leaves out what was refused before it, and what may have been", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const email = "Owner.Of@Shop.example"
  const refuse = (key: string, fields: object) =>
    it.publish([
      refusedRecord(it, { key, value: Buffer.from(JSON.stringify(fields)), reason: "unknown channel" }),
    ])
  await refuse("hers", { email: " Owner.Of@shop.EXAMPLE" })
  await refuse("of the site", { email: "x@y.example", site_url: "https://Shop-1.example/" })
  await refuse("hers, malformed", { email: [email], site_url: null })
  await it.publish([
    refusedRecord(it, { key: "cut off", value: Buffer.from('{"email":'), reason: "unknown" }),
  ])
  await it.publish([refusedRecord(it, { key: null, value: null, reason: "unknown; too large" })])
  await refuse("another's", { email: "other@shop.example", site_url: "https://shop-2.example" })
  for (const subject of [{ email }, { site_url: "https://shop-1.example" }]) {
    const { id } = await begin(it, console, "erasure", { ...subject, reason: "ticket 9" })
    await endErasure(it, console, id)
  }
  // By a dispatcher whose clock is ahead, this could have been refused before too.
  await refuse("hers, at once", { email })

  const asked = { filter: { reason: "unknown" }, reason: "the channel exists now" }
  const dry = await it.call(console, "POST", "/v1/jobs/replay", { ...asked, dry_run: true })
  expect(dry.json).toMatchObject({ matching: 1, left_out: 5 })
  const { id } = await begin(it, console, "replay", asked)
  expect((await end(it, console, id)).counts).toEqual({ read: 7, replayed: 1, left_out: 5 })
  const replayed = (await it.read(it.names.sitePaid)).map(({ key }) => key)
  expect(replayed).toEqual(["another's"])
})

test("what was refused later than an erasure, by more than clocks differ, is replayed", async () => {
  const email = "owner@shop.example"
  const [digest = ""] = Object.values(subjectOf({ email }))
  const erasedAt = Date.parse("2030-01-01T00:00:00Z")
  const sql = (async () => [{ version: "v", erased: { [digest]: erasedAt } }]) as unknown as Sql
  const refused = (appendedAt: number): Incoming => ({
    topic: "invalid",
    partition: 0,
    offset: "0",
    appendedAt,
    key: null,
    value: Buffer.from(JSON.stringify({ email })),
    headers: { [invalidRecordHeaders.reason]: "unknown channel" },
  })
  const count = async (record: Incoming) => {
    const read = async () => ({ records: [record], next: {}, ended: true })
    return countReplay({ sql, invalid: { end: async () => ({}), read } }, { reason: "unknown" }, 1_000)
  }
  expect(await count(refused(erasedAt + clockMarginMs - 1))).toMatchObject({ matching: 0, left_out: 1 })
  expect(await count(refused(erasedAt + clockMarginMs))).toMatchObject({ matching: 1, left_out: 0 })
})

test("only Kafka makes a replay wait for Kafka: what else a step meets is reported as a failure", async () => {
  const broken = async () => Promise.reject(new Error("a fault of ours"))
  const position = { perSecond: 1, next: {}, end: {} }
  const at = new Date()
  const job = {
    id: "job_x",
    kind: "replay",
    filter: { reason: "r" },
    position,
    createdAt: at,
    now: at,
  } as const
  const parts = {
    sql: broken,
    publish: broken,
    topics: { sitePaid: "p", sitePaidInvalid: "i" },
    invalid: { end: broken, read: async () => ({ records: [], next: {}, ended: true }) },
  }
  await expect(stepReplay(job, parts)).rejects.toThrow("a fault of ours")
  const read = () => Promise.reject(new KafkaAway("no answer"))
  const away = await stepReplay(job, { ...parts, invalid: { end: broken, read } })
  expect(away).toEqual({ kind: "away", why: "no answer" })
})
