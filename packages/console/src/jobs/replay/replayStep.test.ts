import { createSecretKey } from "node:crypto"
import { clockMarginMs, invalidRecordHeaders, subjectOf } from "@sitewire/contracts"
import { type Sql, seal, sealContexts, storedSubject } from "@sitewire/database"
import type { ConsumerRecord } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { invalidRecord, startJobs } from "../../../test/fixtures/jobs.ts"
import { sealingKeys } from "../../../test/fixtures/startConsole.ts"
import { KafkaUnavailable } from "../../kafka/publisher.ts"
import type { StepContext } from "../job.ts"
import { countReplay } from "./countReplay.ts"
import { replayStep } from "./replayStep.ts"

test("a replay publishes the matching invalid records once, unchanged, up to the end at its start", async () => {
  await using it = await startJobs()
  const invalid = (n: number, reason: string, value: Buffer) =>
    invalidRecord(it, { key: `event-${n}`, value, reason, offset: n, headers: { correlation: `c-${n}` } })
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
  await it.publish([
    ...Array.from({ length: 20 }, (_, n) => invalid(n, "unknown channel", Buffer.from(`{"n":${n}}`))),
    { ...invalid(20, "not JSON", bytes), key: bytes },
  ])
  const filter = { reason: "unknown" }
  const dry = { filter, reason: "r", dry_run: true }
  // On a busy machine, Kafka may respond too late for a request: 503.
  const counted = await waitUntil("the count", async () => {
    const { status, json } = await it.call("POST", "/v1/jobs/replay", { body: dry })
    return status === 503 ? undefined : json
  })
  expect(counted).toEqual({
    dry_run: true,
    matching: 20,
    left_out: 0,
    complete: true,
  })
  expect(await it.readTopic(it.names.sitePaid)).toEqual([])

  const { id } = await it.begin("replay", { filter, reason: "the channel exists now" })
  expect(await it.end(id)).toMatchObject({ state: "done", counts: { read: 21, replayed: 20 } })
  const replayed = await it.readTopic(it.names.sitePaid)
  expect(replayed.map(({ key }) => key).toSorted()).toEqual(
    Array.from({ length: 20 }, (_, n) => `event-${n}`).toSorted(),
  )
  for (const { key, value, headers } of replayed) {
    const n = key?.slice(6)
    expect({ value: String(value), headers }).toEqual({
      value: `{"n":${n}}`,
      headers: {
        correlation: `c-${n}`,
        [invalidRecordHeaders.rejectedAt]: expect.stringMatching(/^\d{13}$/),
      },
    })
  }
  const again = await it.begin("replay", { filter: { reason: "not JSON" }, reason: "r" })
  await it.end(again.id)
  const last = (await it.readTopic(it.names.sitePaid)).find(({ original }) => original.key?.equals(bytes))
  expect(last?.value?.equals(bytes)).toBe(true)
})

test("an event that stays invalid gets one record more with each replay, with the time of its first rejection", async () => {
  await using it = await startJobs()
  await it.start("dispatcher")
  const paid = { id: "e-1", channel: "nobody", reference: "r", site_url: "https://a.example", name: "A" }
  const more = { console_url: "https://c.example", email: "k@s.example", created_at: "2030-01-02T03:04:05Z" }
  const published = { topic: it.names.sitePaid, key: "e-1", value: JSON.stringify({ ...paid, ...more }) }
  await it.publish([published, published])
  const invalid = (count: number) =>
    waitUntil(`${count} records`, async () => {
      const records = await it.readTopic(it.names.sitePaidInvalid)
      return records.length >= count && records
    })
  await invalid(2)
  const request = { filter: { reason: "unknown channel" }, reason: "r" }
  for (const count of [3, 4]) {
    expect(await it.complete("replay", request)).toMatchObject({ total: 1, counts: { replayed: 1 } })
    await invalid(count)
  }
  const records = await invalid(4)
  const [first, second, ...again] = records.map(({ appendedAt }) => appendedAt)
  expect(again).toEqual([first, first])
  expect(second).toBeGreaterThanOrEqual(first ?? 0)
  await waitUntil("the commits", async () => {
    const { counts } = await it.complete("reconcile", { created_after: new Date(Date.now() - 3_600_000) })
    expect(counts.exceptions).toBe(0)
    return counts.events_invalid === 4
  })
  expect(await it.sql("select from replayed_event")).toEqual([])
})

test("a replay respects its time range and its rate, and continues with another runner", async () => {
  await using it = await startJobs()
  const reject = (from: number, to: number) =>
    it.publish(
      Array.from({ length: to - from }, (_, n) =>
        invalidRecord(it, { key: `event-${from + n}`, value: Buffer.from("{}"), reason: "unknown channel" }),
      ),
    )
  const timeAfterNow = async () => {
    const at = Date.now()
    await waitUntil("the next millisecond", () => Date.now() > at + 1)
    return new Date().toISOString()
  }
  await reject(0, 10)
  const rejected_after = await timeAfterNow()
  await reject(10, 1_110)
  const rejected_before = await timeAfterNow()
  await reject(1_110, 1_120)

  const request = { filter: { rejected_after, rejected_before }, reason: "r", per_second: 25 }
  const { id, per_second } = await it.begin("replay", request)
  expect(per_second).toBe(25)
  await waitUntil("some to be replayed", async () => ((await it.read(id)).counts.replayed ?? 0) >= 500)
  await it.closeRunners()
  expect((await it.readTopic(it.names.sitePaid)).length).toBeLessThan(1_100)
  // 500 events at 25 per second: the next step is 20 seconds later. The test raises the rate instead of
  // waiting.
  const [job] = await it.sql<{ wait: number }>(
    "select extract(epoch from (position::jsonb ->> 'nextStepAt')::timestamptz - created_at)::float8 as wait from job",
  )
  expect(job?.wait).toBeGreaterThanOrEqual(20)
  await it.sql("update job set position = position::jsonb - 'nextStepAt' || '{\"perSecond\": 1000}'")
  await it.run()
  expect(await it.end(id)).toMatchObject({
    state: "done",
    counts: { replayed: 1_100 },
    total: 1_100,
  })
  const replayed = (await it.readTopic(it.names.sitePaid)).map(({ key }) => key)
  expect(replayed.toSorted()).toEqual(Array.from({ length: 1_100 }, (_, n) => `event-${10 + n}`).toSorted())
})

test("a replay leaves out events of an erased subject that were, or may have been, rejected before the erasure", async () => {
  await using it = await startJobs()
  const email = "Owner.Of@Shop.example"
  const reject = (key: string, fields: object) =>
    it.publish([
      invalidRecord(it, { key, value: Buffer.from(JSON.stringify(fields)), reason: "unknown channel" }),
    ])
  await reject("of the person", { email: " Owner.Of@shop.EXAMPLE" })
  await reject("of the site", { email: "x@y.example", site_url: "https://Shop-1.example/" })
  await reject("malformed", { email: [email], site_url: null })
  await it.publish([
    invalidRecord(it, { key: "cut off", value: Buffer.from('{"email":'), reason: "unknown" }),
  ])
  await it.publish([invalidRecord(it, { key: null, value: null, reason: "unknown; too large" })])
  await reject("of another person", { email: "other@shop.example", site_url: "https://shop-2.example" })
  for (const subject of [{ email }, { site_url: "https://shop-1.example" }]) {
    const { id } = await it.begin("erasure", { ...subject, reason: "ticket 9" })
    await it.end(id)
  }
  // If the dispatcher's clock is fast, this event may have been rejected before the erasure.
  await reject("of the person, right after", { email })

  const request = { filter: { reason: "unknown" }, reason: "the channel exists now" }
  const dry = await it.call("POST", "/v1/jobs/replay", { body: { ...request, dry_run: true } })
  expect(dry.json).toMatchObject({ matching: 1, left_out: 5 })
  const { id } = await it.begin("replay", request)
  expect((await it.end(id)).counts).toEqual({ read: 7, replayed: 1, left_out: 5 })
  const replayed = (await it.readTopic(it.names.sitePaid)).map(({ key }) => key)
  expect(replayed).toEqual(["of another person"])
})

test("an event that was published later than an erasure by the clock margin is replayed, whenever it was rejected", async () => {
  const email = "owner@shop.example"
  const digestKey = createSecretKey(Buffer.alloc(32, 1))
  const [digest = ""] = Object.values(storedSubject(digestKey, subjectOf({ email })))
  const key_sealed = seal(sealingKeys, sealContexts.digestKey("email"), digestKey.export().toString("base64"))
  const erasedAt = Date.parse("2030-01-01T00:00:00Z")
  const sql = (async () => [{ version: "v", erased: { [digest]: erasedAt }, key_sealed }]) as unknown as Sql
  const recordAt = (publishedAt: number, appendedAt = publishedAt): ConsumerRecord => ({
    topic: "invalid",
    partition: 0,
    offset: "0",
    appendedAt,
    timeFrom: "broker",
    key: null,
    value: Buffer.from(JSON.stringify({ email })),
    original: { key: null, headers: {} },
    headers: {
      [invalidRecordHeaders.reason]: "unknown channel",
      [invalidRecordHeaders.time]: String(publishedAt),
    },
  })
  const count = async (record: ConsumerRecord) => {
    const read = async () => ({ records: [record], next: {}, ended: true })
    const invalidTopic = { end: async () => ({}), read }
    return countReplay({ sql, sealingKeys, invalidTopic }, { reason: "unknown" }, 1_000)
  }
  expect(await count(recordAt(erasedAt + clockMarginMs - 1))).toMatchObject({ matching: 0, left_out: 1 })
  expect(await count(recordAt(erasedAt + clockMarginMs))).toMatchObject({ matching: 1, left_out: 0 })
  const rejectedLater = recordAt(erasedAt - 1, erasedAt + 86_400_000)
  expect(await count(rejectedLater)).toMatchObject({ matching: 0, left_out: 1 })
})

test("a step of a replay rejects if Kafka is unavailable or acknowledges not every event", async () => {
  const at = new Date()
  const filter = { rejected_before: "2030-01-01T00:00:00Z" }
  const position = { perSecond: 1, next: {}, end: {} }
  const job = { id: "job_x", kind: "replay", filter, position, createdAt: at, now: at } as const
  const record = { topic: "i", partition: 0, offset: "0", appendedAt: 0, timeFrom: "broker" } as const
  const original = { key: null, headers: {} }
  const records = [{ ...record, ...original, original, value: Buffer.from("{}") }]
  const context: StepContext = {
    sql: (async () => [{ version: "v", erased: {} }]) as unknown as Sql,
    sealingKeys,
    publish: () => Promise.reject(new KafkaUnavailable("no acknowledgement")),
    topics: { sitePaid: "p", sitePaidInvalid: "i" },
    invalidTopic: { end: async () => ({}), read: async () => ({ records, next: {}, ended: true }) },
  }
  await expect(replayStep(job, context)).rejects.toThrow(new KafkaUnavailable("no acknowledgement"))
  const noResponse = () => Promise.reject(new KafkaUnavailable("no response"))
  const invalidTopic = { end: noResponse, read: noResponse }
  await expect(replayStep(job, { ...context, invalidTopic })).rejects.toThrow("no response")
})
