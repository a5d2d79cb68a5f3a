import { invalidRecordHeaders, type Page, type RefusedEvent } from "@sitewire/contracts"
import type { Incoming, Offsets } from "@sitewire/kafka"
import { expect, test } from "vitest"
import { refusedRecord } from "../../../test/fixtures/jobs.ts"
import { startConsole } from "../../../test/fixtures/startConsole.ts"
import { startConsoles } from "../../../test/fixtures/startConsoles.ts"
import type { InvalidTopic } from "../../jobs/job.ts"

const email = "owner@shop.example"

test("refused events are listed from Kafka, newest first, with their channel and without whom they are about", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const list = async (query = "") => {
    const { status, text, json } = await it.call(console, "GET", `/v1/refused-events${query}`)
    expect(status, text).toBe(200)
    expect(text).not.toContain(email)
    return json as Page<RefusedEvent>
  }
  expect(await list()).toEqual({ data: [], next_cursor: null })

  const refuse = (n: number, reason: string, value: string | null) =>
    it.publish([
      refusedRecord(it, { key: null, value: value === null ? null : Buffer.from(value), reason, offset: n }),
    ])
  const begun = Date.now()
  for (let n = 0; n < 23; n++) {
    await refuse(n, "unknown channel", JSON.stringify({ id: `order-${n}`, channel: "acme", email }))
  }
  await refuse(23, "channel: is too long", JSON.stringify({ id: 5, channel: email }))
  await refuse(24, "not JSON", `{"id": "order-24", "email": "${email}"`)
  await refuse(25, "unknown channel; too large to be kept here: 950000 bytes", null)

  // Refused once, and delivered when it was published again.
  const [delivery] = await it.deliveries(1)
  await it.sql("update delivery set event_id = 'order-22' where id = $1", [delivery])

  const first = await list("?limit=4")
  const place = (n: number) => `site.paid 3 ${n}`
  const nothing = { event_id: null, channel: null, delivery: null }
  expect(first.data).toEqual([
    {
      ...nothing,
      bytes: null,
      from: place(25),
      reason: "unknown channel; too large to be kept here: 950000 bytes",
      refused_at: expect.any(String),
    },
    { ...nothing, bytes: 48, from: place(24), reason: "not JSON", refused_at: expect.any(String) },
    {
      ...nothing,
      bytes: 39,
      from: place(23),
      reason: "channel: is too long",
      refused_at: expect.any(String),
    },
    {
      event_id: "order-22",
      channel: "acme",
      delivery,
      bytes: 63,
      from: place(22),
      reason: "unknown channel",
      refused_at: expect.any(String),
    },
  ])
  for (const { refused_at } of first.data) {
    expect(Date.parse(refused_at)).toBeGreaterThanOrEqual(begun)
    expect(Date.parse(refused_at)).toBeLessThanOrEqual(Date.now())
  }

  // What is refused during a walk stands above it.
  await refuse(26, "unknown channel", "{}")
  const seen = first.data.map(({ from }) => from)
  for (let cursor = first.next_cursor; cursor !== null; ) {
    const page = await list(`?limit=10&cursor=${cursor}`)
    seen.push(...page.data.map(({ from }) => from))
    cursor = page.next_cursor
  }
  expect(seen).toEqual(Array.from({ length: 26 }, (_, n) => place(25 - n)))
  expect(console.output()).not.toContain(email)
})

/** Partitions in memory, read as the port promises; the clock that stamped one of them goes wrong and back. */
function partitions(times: number[][]): InvalidTopic {
  const end = Object.fromEntries(times.map((stamps, partition) => [partition, String(stamps.length)]))
  return {
    end: async () => end,
    async read({ from, to }: { from: Offsets; to: Offsets }) {
      const records = times.flatMap((stamps, partition) =>
        stamps.map(
          (appendedAt, at): Incoming => ({
            topic: "invalid",
            partition,
            offset: String(at),
            appendedAt,
            key: null,
            value: null,
            headers: {
              [invalidRecordHeaders.reason]: `partition ${partition}`,
              [invalidRecordHeaders.offset]: String(at),
            },
          }),
        ),
      )
      const asked = ({ partition, offset }: Incoming) =>
        Number(offset) >= Number(from[partition] ?? 0) && Number(offset) < Number(to[partition] ?? 0)
      return { records: records.filter(asked), next: to, ended: true }
    },
  }
}

test("over several partitions, each record is on one page, whatever their clocks say", async () => {
  const at = Date.parse("2030-01-01T00:00:00Z")
  const invalid = partitions([
    [at, at + 5_000, at + 1_000, at + 2_000],
    [],
    [at + 500, at + 1_500, at + 2_500, at + 2_500, at + 3_000],
  ])
  const it = await startConsole({ invalid })
  try {
    for (const limit of [1, 2, 3, 20]) {
      const seen: string[] = []
      let cursor = ""
      do {
        const { status, json } = await it.call("GET", `/v1/refused-events?limit=${limit}${cursor}`)
        expect(status).toBe(200)
        const page = json as Page<RefusedEvent>
        seen.push(...page.data.map(({ reason, from }) => `${reason.at(-1)}:${from.at(-1)}`))
        cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`
      } while (cursor !== "")
      expect(seen).toEqual(["2:4", "2:3", "2:2", "0:3", "2:1", "0:2", "0:1", "2:0", "0:0"])
    }
    for (const places of [
      '{"0":-1}',
      '{"0":"no"}',
      '{"0":"9999999999999999999"}',
      '{"2":"6"}',
      '{"3":"0"}',
    ]) {
      const cursor = Buffer.from(places).toString("base64url")
      expect((await it.call("GET", `/v1/refused-events?cursor=${cursor}`)).status, places).toBe(400)
    }
  } finally {
    await it.close()
  }
})

const replay = { filter: { reason: "unknown" }, reason: "r", dry_run: true }

test("without Kafka, the list of refused events and the count of a replay say so", async () => {
  const it = await startConsole()
  try {
    for (const { status, json } of [
      await it.call("GET", "/v1/refused-events"),
      await it.call("POST", "/v1/jobs/replay", { body: replay }),
    ]) {
      expect(status).toBe(503)
      expect(json.detail).toContain("Kafka does not answer")
    }
  } finally {
    await it.close()
  }
})

test("what is broken here is not said to be Kafka's", async () => {
  const end = () => Promise.reject(new TypeError("a fault of ours"))
  const it = await startConsole({ invalid: { ...partitions([]), end } })
  try {
    for (const { status, json } of [
      await it.call("GET", "/v1/refused-events"),
      await it.call("POST", "/v1/jobs/replay", { body: replay }),
    ]) {
      expect(status).toBe(500)
      expect(json.detail).not.toContain("Kafka")
    }
  } finally {
    await it.close()
  }
})
