import { type InvalidEvent, invalidRecordHeaders, type Page } from "@sitewire/contracts"
import type { ConsumerRecord, Offsets } from "@sitewire/kafka"
import { startTestInstallation } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { insertDeliveries, knowEvents } from "../../test/fixtures/deliveries.ts"
import { invalidRecord } from "../../test/fixtures/jobs.ts"
import { startConsole } from "../../test/fixtures/startConsole.ts"
import type { InvalidTopic } from "../kafka/topicReader.ts"
import { invalidEventResponse } from "./invalidEvents.ts"

const email = "owner@shop.example"

test("invalid events are listed from Kafka, newest first, with their channel and without personal data", async () => {
  await using it = await startTestInstallation()
  const console = await startConsole({ installation: it })
  const list = async (query = "") => {
    const { status, text, json } = await console.call("GET", `/v1/invalid-events${query}`)
    expect(status, text).toBe(200)
    expect(text).not.toContain(email)
    return json as Page<InvalidEvent>
  }
  expect(await list()).toEqual({ data: [], next_cursor: null })

  const reject = (n: number, reason: string, value: string | null) =>
    it.publish([
      invalidRecord(it, { key: null, value: value === null ? null : Buffer.from(value), reason, offset: n }),
    ])
  const begun = Date.now()
  for (let n = 0; n < 23; n++) {
    await reject(n, "unknown channel", JSON.stringify({ id: `order-${n}`, channel: "acme", email }))
  }
  await reject(23, "channel: is too long", JSON.stringify({ id: 5, channel: email }))
  await reject(24, "not JSON", `{"id": "order-24", "email": "${email}"`)
  await reject(25, "unknown channel; too large to be stored here: 950000 bytes", null)

  // Rejected once, then delivered from another record with the same id.
  const [delivery] = await insertDeliveries(it.sql, 1)
  await it.sql("update delivery set event_id = 'order-22' where id = $1", [delivery])
  await knowEvents(it.sql)

  const first = await list("?limit=4")
  const origin = (n: number) => `site.paid 3 ${n}`
  const noIds = { event_id: null, key: null, correlation: null, channel: null, delivery: null }
  expect(first.data).toEqual([
    {
      ...noIds,
      bytes: null,
      from: origin(25),
      reason: "unknown channel; too large to be stored here: 950000 bytes",
      rejected_at: expect.any(String),
    },
    { ...noIds, bytes: 48, from: origin(24), reason: "not JSON", rejected_at: expect.any(String) },
    {
      ...noIds,
      event_id: "5",
      bytes: 39,
      from: origin(23),
      reason: "channel: is too long",
      rejected_at: expect.any(String),
    },
    {
      ...noIds,
      event_id: "order-22",
      channel: "acme",
      delivery,
      bytes: 63,
      from: origin(22),
      reason: "unknown channel",
      rejected_at: expect.any(String),
    },
  ])
  for (const { rejected_at } of first.data) {
    expect(Date.parse(rejected_at)).toBeGreaterThanOrEqual(begun)
    expect(Date.parse(rejected_at)).toBeLessThanOrEqual(Date.now())
  }

  // An event that is rejected meanwhile comes before the first page.
  await reject(26, "unknown channel", "{}")
  const seen = first.data.map(({ from }) => from)
  for (let cursor = first.next_cursor; cursor !== null; ) {
    const page = await list(`?limit=10&cursor=${cursor}`)
    seen.push(...page.data.map(({ from }) => from))
    cursor = page.next_cursor
  }
  expect(seen).toEqual(Array.from({ length: 26 }, (_, n) => origin(25 - n)))
  expect(console.log.join("")).not.toContain(email)
  await console.close()
})

/** An InvalidTopic in memory. The timestamps of a partition need not be in order. */
function partitions(times: number[][]): InvalidTopic {
  const end = Object.fromEntries(times.map((stamps, partition) => [partition, String(stamps.length)]))
  return {
    end: async () => end,
    async read({ from, to }: { from: Offsets; to: Offsets }) {
      const records = times.flatMap((stamps, partition) =>
        stamps.map(
          (appendedAt, at): ConsumerRecord => ({
            topic: "invalid",
            partition,
            offset: String(at),
            appendedAt,
            timeFrom: "broker",
            key: null,
            value: null,
            original: { key: null, headers: {} },
            headers: {
              [invalidRecordHeaders.reason]: `partition ${partition}`,
              [invalidRecordHeaders.offset]: String(at),
            },
          }),
        ),
      )
      const isInRange = ({ partition, offset }: ConsumerRecord) =>
        Number(offset) >= Number(from[partition] ?? 0) && Number(offset) < Number(to[partition] ?? 0)
      return { records: records.filter(isInRange), next: to, ended: true }
    },
  }
}

test("an invalid event is found by its key, its id or its correlation, also if it cannot be parsed or was too large", async () => {
  await using it = await startTestInstallation()
  const console = await startConsole({ installation: it })
  const reject = (key: string | Buffer | null, value: string | null, correlation = "unknown") =>
    invalidRecord(it, {
      key,
      value: value === null ? null : Buffer.from(value),
      reason: "r",
      headers: { correlation },
    })
  await it.publish([
    reject("framed", "\0\0\0\0\u0007{}", "trace-1"),
    reject("large", null),
    reject("tombstone", null, "trace-1"),
    reject(null, '{"id":4711}'),
    reject(Buffer.from([0xff]), "{", "has spaces"),
    ...Array.from({ length: 200 }, (_, n) => reject(`order-${n}`, "{}")),
  ])
  const find = async (query: string) => {
    const { status, json, text } = await console.call("GET", `/v1/invalid-events?${query}`)
    expect(status, text).toBe(200)
    return (json as Page<InvalidEvent>).data.map(({ key, event_id }) => key ?? event_id)
  }
  expect(await find("event=framed")).toEqual(["framed"])
  expect(await find("event=large&limit=1")).toEqual(["large"])
  expect(await find("event=4711")).toEqual(["4711"])
  expect(await find("event=trace-1")).toEqual(["tombstone", "framed"])
  expect(await find("event=absent")).toEqual([])
  const [binary] = (await it.readTopic(it.names.sitePaidInvalid)).filter(({ value }) => String(value) === "{")
  expect(binary && invalidEventResponse(binary)).toMatchObject({ key: null, correlation: null })
  await console.close()
})

test("with several partitions, each record is on exactly one page, whatever its timestamp is", async () => {
  const at = Date.parse("2030-01-01T00:00:00Z")
  const invalidTopic = partitions([
    [at, at + 5_000, at + 1_000, at + 2_000],
    [],
    [at + 500, at + 1_500, at + 2_500, at + 2_500, at + 3_000],
  ])
  const it = await startConsole({ invalidTopic })
  try {
    for (const limit of [1, 2, 3, 20]) {
      const seen: string[] = []
      let cursor = ""
      do {
        const { status, json } = await it.call("GET", `/v1/invalid-events?limit=${limit}${cursor}`)
        expect(status).toBe(200)
        const page = json as Page<InvalidEvent>
        seen.push(...page.data.map(({ reason, from }) => `${reason.at(-1)}:${from.at(-1)}`))
        cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`
      } while (cursor !== "")
      expect(seen).toEqual(["2:4", "2:3", "2:2", "0:3", "2:1", "0:2", "0:1", "2:0", "0:0"])
    }
    for (const offsets of [
      '{"0":-1}',
      '{"0":"no"}',
      '{"0":"9999999999999999999"}',
      '{"2":"6"}',
      '{"3":"0"}',
    ]) {
      const cursor = Buffer.from(offsets).toString("base64url")
      expect((await it.call("GET", `/v1/invalid-events?cursor=${cursor}`)).status, offsets).toBe(400)
    }
  } finally {
    await it.close()
  }
})

const replay = { filter: { reason: "unknown" }, reason: "r", dry_run: true }

test("while Kafka is unavailable, the list of invalid events and the dry run of a replay respond 503", async () => {
  const it = await startConsole()
  try {
    for (const { status, json } of [
      await it.call("GET", "/v1/invalid-events"),
      await it.call("POST", "/v1/jobs/replay", { body: replay }),
    ]) {
      expect(status).toBe(503)
      expect(json.detail).toContain("Kafka did not respond")
    }
  } finally {
    await it.close()
  }
})

test("an unexpected error is a 500 that does not blame Kafka", async () => {
  const end = () => Promise.reject(new TypeError("an unexpected error"))
  const it = await startConsole({ invalidTopic: { ...partitions([]), end } })
  try {
    for (const { status, json } of [
      await it.call("GET", "/v1/invalid-events"),
      await it.call("POST", "/v1/jobs/replay", { body: replay }),
    ]) {
      expect(status).toBe(500)
      expect(json.detail).not.toContain("Kafka")
    }
  } finally {
    await it.close()
  }
})
