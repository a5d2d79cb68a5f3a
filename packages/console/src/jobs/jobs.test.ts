import { createHash } from "node:crypto"
import { type DeliveryDue, invalidRecordHeaders, jobSchema } from "@sitewire/contracts"
import type { Incoming } from "@sitewire/kafka"
import type { StartedProcess } from "@sitewire/testkit"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startConsoles } from "../fixtures/startConsoles.ts"

type Consoles = Awaited<ReturnType<typeof startConsoles>>

const dueOf = ({ value }: Incoming): DeliveryDue => JSON.parse(String(value))
const unique = (values: unknown[]) => new Set(values).size

async function begin(it: Consoles, console: StartedProcess, kind: string, body: object) {
  const { status, json, text } = await it.call(console, "POST", `/v1/jobs/${kind}`, body)
  expect(status, text).toBe(202)
  return jobSchema.parse(json)
}

const read = async (it: Consoles, console: StartedProcess, id: string) =>
  jobSchema.parse((await it.call(console, "GET", `/v1/jobs/${id}`)).json)

const end = (it: Consoles, console: StartedProcess, id: string) =>
  waitUntil("the job's end", async () => {
    const job = await read(it, console, id)
    return job.state === "running" ? undefined : job
  })

test("a resend takes exactly what its filter names, leaves out what was erased, and notes who and why", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const wanted = await it.deliveries(30, { days: 3 })
  await it.deliveries(5, { days: 4 })
  await it.deliveries(5, { days: 1 })
  await it.deliveries(5, { days: 2.9, channel: "other" })
  await it.deliveries(4, { days: 2.8, state: "erased" })
  const delivered = await it.deliveries(5, { days: 2.7, state: "delivered", attempts: 1 })
  const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const filter = { channel: "acme", created_from: day(3.5), created_to: day(2.5) }
  const before = await it.sql("select * from delivery order by id")

  const dry = { filter, reason: "count", dry_run: true }
  expect(await it.call(console, "POST", "/v1/jobs/resend", dry)).toMatchObject({
    status: 200,
    json: { dry_run: true, matching: 35, left_out: 4, complete: true },
  })
  expect(await it.sql("select * from job")).toEqual([])

  const asked = { filter, reason: "ticket 17", per_second: 500 }
  const { id, ...begun } = await begin(it, console, "resend", asked)
  expect(begun).toMatchObject({
    kind: "resend",
    filter,
    per_second: 500,
    reason: "ticket 17",
    requested_by: `${it.keyId} (night shift)`,
    remains: null,
  })
  const done = await end(it, console, id)
  expect(done).toMatchObject({ state: "done", counts: { resent: 35, left_out: 4 } })
  expect(done.finished_at).not.toBeNull()
  const records = await it.read(it.names.resend)
  expect(records.map(({ key }) => key).toSorted()).toEqual([...wanted, ...delivered].toSorted())
  for (const record of records) {
    const { delivery, attempt, failures, correlation } = dueOf(record)
    const past = delivered.includes(delivery) ? 1 : 4
    expect({ delivery, attempt, failures, correlation }).toEqual({
      delivery: record.key,
      attempt: past + 1,
      failures: 0,
      correlation: `correlation-${record.key}`,
    })
  }
  expect(await it.sql("select * from delivery order by id")).toEqual(before)

  const list = await it.call(console, "GET", "/v1/jobs?limit=1")
  expect(list.json).toEqual({ data: [done], next_cursor: null })
  expect((await it.call(console, "POST", `/v1/jobs/${id}/cancel`)).status).toBe(409)
  expect((await it.call(console, "GET", "/v1/jobs/none")).status).toBe(404)
})

test("a resend by state takes those that are in it, and no other", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const states = ["dead", "delivered", "pending"] as const
  const ids = new Map<string, string[]>()
  for (const [at, state] of states.entries()) ids.set(state, await it.deliveries(4, { days: 3 - at, state }))
  const taken: string[] = []
  for (const state of states) {
    const asked = { filter: { state }, reason: "r", per_second: 500 }
    const dry = await it.call(console, "POST", "/v1/jobs/resend", { ...asked, dry_run: true })
    expect(dry.json).toMatchObject({ matching: 4 })
    const { id } = await begin(it, console, "resend", asked)
    expect(await end(it, console, id)).toMatchObject({ counts: { resent: 4 } })
    taken.push(...(ids.get(state) ?? []))
    const sent = (await it.read(it.names.resend)).map(({ key }) => key)
    expect(sent.toSorted()).toEqual(taken.toSorted())
  }
})

test("a job whose console is killed with -9 goes on after a restart, and a repeated step repeats its attempts' numbers", async () => {
  await using it = await startConsoles()
  const first = await it.console()
  const ids = await it.deliveries(300)
  const asked = { filter: { state: "dead" }, reason: "after an outage", per_second: 100 }
  const { id } = await begin(it, first, "resend", asked)
  await waitUntil("some to be resent", async () => ((await read(it, first, id)).counts.resent ?? 0) >= 50)
  await first.end("SIGKILL")
  const [cut] = await it.sql<{ state: string; resent: number }>(
    "select state, (counts ->> 'resent')::int as resent from job",
  )
  expect(cut?.state).toBe("running")
  expect(cut?.resent).toBeLessThan(300)
  // As a dispatcher would, between the crash and the repeat.
  await it.sql("update delivery set attempts = attempts + 1 where id = any($1)", [
    (await it.read(it.names.resend)).map(({ key }) => key),
  ])

  const second = await it.console()
  expect(await end(it, second, id)).toMatchObject({ state: "done", counts: { resent: 300 } })
  const due = (await it.read(it.names.resend)).map(dueOf)
  expect(new Set(due.map(({ delivery }) => delivery))).toEqual(new Set(ids))
  expect(new Set(due.map(({ attempt }) => attempt))).toEqual(new Set([5]))
  expect(due.length).toBeLessThanOrEqual(300 + 25)
}, 60_000)

test("a step that was cut off between its plan and its end is published with the numbers of the plan", async () => {
  await using it = await startConsoles()
  const [one = "", two = "", gone = "", three = ""] = await it.deliveries(4)
  const position = {
    perSecond: 100,
    after: "00000000-0000-0000-0000-000000000000",
    planned: {
      attempts: [
        [one, 5],
        [two, 5],
        [gone, 5],
      ],
      through: gone,
      leftOut: 0,
      last: false,
    },
  }
  await it.sql("update delivery set attempts = 5 where id = $1", [one])
  await it.sql("update delivery set state = 'erased' where id = $1", [gone])
  await it.sql(
    `insert into job (id, kind, filter, reason, requested_by, position)
     values ('job_x', 'resend', '{"state":"dead"}', 'r', 'k', $1)`,
    [JSON.stringify(position)],
  )
  const console = await it.console()
  expect(await end(it, console, "job_x")).toMatchObject({ counts: { resent: 3, left_out: 1 } })
  const due = (await it.read(it.names.resend)).map(dueOf)
  expect(due.map(({ delivery, attempt }) => [delivery, attempt]).toSorted()).toEqual([
    [one, 5],
    [two, 5],
    [three, 5],
  ])
})

test("two consoles share a job: nothing is sent twice, and the pace holds for both together", async () => {
  await using it = await startConsoles()
  const [one, two] = await Promise.all([it.console(), it.console()])
  const ids = await it.deliveries(200)
  const startedAt = performance.now()
  const { id } = await begin(it, one, "resend", { filter: { state: "dead" }, reason: "r", per_second: 80 })
  expect(await end(it, two, id)).toMatchObject({ state: "done", counts: { resent: 200 } })
  // The last step's rest is not waited for.
  expect(performance.now() - startedAt).toBeGreaterThan(((200 - 20) / 80) * 1_000 * 0.95)
  const records = await it.read(it.names.resend)
  expect(records.length).toBe(200)
  expect(unique(records.map(({ key }) => key))).toBe(ids.length)
})

test("when a cancel answers, nothing more is sent", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  await it.deliveries(500)
  const { id } = await begin(it, console, "resend", {
    filter: { channel: "acme" },
    reason: "r",
    per_second: 40,
  })
  await waitUntil("some to be resent", async () => ((await read(it, console, id)).counts.resent ?? 0) > 0)
  const cancelled = await it.call(console, "POST", `/v1/jobs/${id}/cancel`)
  expect(cancelled).toMatchObject({ status: 200, json: { state: "cancelled" } })
  const { length } = await it.read(it.names.resend)
  expect(length).toBeLessThan(500)
  expect(jobSchema.parse(cancelled.json).counts.resent).toBe(length)
  // Another job has its turns meanwhile: the runner is alive and leaves the cancelled one alone.
  const other = await begin(it, console, "erasure", { email: "nobody@shop.example", reason: "r" })
  await end(it, console, other.id)
  expect((await it.read(it.names.resend)).length).toBe(length)
})

test("a replay publishes refused records as they came, those that match, once, up to the end that it found", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const refused = (n: number, reason: string, value: Buffer) => ({
    topic: it.names.sitePaidInvalid,
    key: `event-${n}`,
    value,
    headers: {
      correlation: `c-${n}`,
      [invalidRecordHeaders.reason]: reason,
      [invalidRecordHeaders.topic]: it.names.sitePaid,
      [invalidRecordHeaders.partition]: "0",
      [invalidRecordHeaders.offset]: String(n),
    },
  })
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
      Array.from({ length: to - from }, (_, n) => ({
        topic: it.names.sitePaidInvalid,
        key: `event-${from + n}`,
        value: Buffer.from("{}"),
        headers: { [invalidRecordHeaders.reason]: "unknown channel" },
      })),
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

test("a replay after an erasure leaves out what was refused before it, and not what came later", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const refuse = (key: string, fields: object) =>
    it.publish([
      {
        topic: it.names.sitePaidInvalid,
        key,
        value: Buffer.from(JSON.stringify(fields)),
        headers: { [invalidRecordHeaders.reason]: "unknown channel" },
      },
    ])
  await refuse("hers", { email: " Owner.Of@shop.EXAMPLE" })
  await refuse("of the site", { email: "x@y.example", site_url: "https://Shop-1.example/" })
  await refuse("another's", { email: "other@shop.example", site_url: "https://shop-2.example" })
  for (const subject of [{ email }, { site_url: "https://shop-1.example" }]) {
    const { id } = await begin(it, console, "erasure", { ...subject, reason: "ticket 9" })
    await end(it, console, id)
  }
  await refuse("hers, later", { email })

  const asked = { filter: { reason: "unknown" }, reason: "the channel exists now" }
  const dry = await it.call(console, "POST", "/v1/jobs/replay", { ...asked, dry_run: true })
  expect(dry.json).toMatchObject({ matching: 2, left_out: 2 })
  const { id } = await begin(it, console, "replay", asked)
  expect((await end(it, console, id)).counts).toEqual({ read: 4, replayed: 2, left_out: 2 })
  const replayed = (await it.read(it.names.sitePaid)).map(({ key }) => key)
  expect(replayed.toSorted()).toEqual(["another's", "hers, later"])
})

const email = "Owner.Of@Shop.example"
const bodyOf = (fields: object) =>
  JSON.stringify({
    event: "site.ready",
    site_url: "https://shop-1.example",
    name: "\u0000 a name",
    ...fields,
  })

/** Every value of every row of every table, as text; bytes as UTF-8 and as hexadecimal. */
async function everything(it: Consoles): Promise<string> {
  const tables = await it.sql<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  )
  const found: string[] = []
  for (const { name } of tables) {
    for (const row of await it.sql(`select * from ${name}`)) {
      for (const value of Object.values(row)) {
        found.push(
          Buffer.isBuffer(value)
            ? `${value.toString("utf8")} ${value.toString("hex")}`
            : JSON.stringify(value),
        )
      }
    }
  }
  return found.join("\n")
}

test("an erasure leaves no trace of an address in any table, topic of ours or log line, and its job is the proof", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const body = bodyOf({ email: email.toLowerCase() })
  const theirs = await it.deliveries(3, { body, days: 3 })
  const waiting = await it.deliveries(1, { body: bodyOf({ email }), days: 2, state: "pending" })
  const others = await it.deliveries(700, { body: bodyOf({ email: `x${email}` }), days: 1 })
  await it.sql("update delivery set next_attempt_at = now() where state = 'pending'")
  await it.sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, secret_id, response_excerpt)
     select id, 1, now(), 1, 's', convert_to('you sent: ' || $2, 'UTF8') from unnest($1::uuid[]) as id`,
    [[...theirs, others[0]], email],
  )
  const traces = [email, email.toLowerCase(), Buffer.from(email.toLowerCase()).toString("hex")]
  traces.push(createHash("sha256").update(body).digest("hex"))

  const dry = { email, reason: "r", dry_run: true }
  expect((await it.call(console, "POST", "/v1/jobs/erasure", dry)).json).toMatchObject({ matching: 4 })
  expect((await it.sql("select from delivery where state = 'erased'")).length).toBe(0)

  const { id } = await begin(it, console, "erasure", {
    email: ` ${email}`.trim().toUpperCase(),
    reason: "ticket 9",
  })
  const proof = await end(it, console, id)
  expect(proof).toMatchObject({
    state: "done",
    counts: { looked_at: 704, deliveries_erased: 4, excerpts_erased: 3 },
    filter: { email_sha256: createHash("sha256").update(email.toLowerCase()).digest("hex") },
    remains: [
      { topic: it.names.sitePaid, retention_ends_at: later(proof.created_at, 7) },
      { topic: it.names.sitePaidInvalid, retention_ends_at: later(proof.created_at, 30) },
    ],
  })
  const erased = await it.sql("select id, next_attempt_at, finished_at from delivery where state = 'erased'")
  expect(erased.map((row) => row.id).toSorted()).toEqual([...theirs, ...waiting].toSorted())
  for (const row of erased) {
    expect(row.next_attempt_at).toBeNull()
    expect(row.finished_at).not.toBeNull()
  }
  // The others' own traces out of the way: their addresses end in the same letters.
  expect((await it.sql("delete from delivery where id = any($1) returning id", [others])).length).toBe(700)
  await it.sql("delete from attempt where delivery_id = $1", [others[0]])
  const left = (await everything(it)) + console.output()
  for (const trace of traces) expect(left.toLowerCase()).not.toContain(trace.toLowerCase())
  expect((await it.call(console, "POST", `/v1/deliveries/${theirs[0]}/resend`)).status).toBe(409)
})

test("an erasure by site takes that site's deliveries, however its address was written, and no other's", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  await it.deliveries(2, { body: bodyOf({ email }), days: 3 })
  await it.deliveries(2, { body: bodyOf({ site_url: "https://shop-1.example/" }), days: 2 })
  await it.deliveries(2, { body: bodyOf({ site_url: "https://shop-10.example" }) })
  const { id } = await begin(it, console, "erasure", { site_url: "https://SHOP-1.example/", reason: "r" })
  expect((await end(it, console, id)).counts).toMatchObject({ deliveries_erased: 4 })
  expect(await everything(it)).not.toContain("shop-1.example")
})

test("what a job cannot mean is refused with the field's name, and repeats no value", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const reason = "r"
  for (const [kind, body] of Object.entries({
    resend: { filter: {}, reason },
    replay: { filter: { from: "2030-01-02T00:00:00Z", to: "2030-01-01T00:00:00Z" }, reason },
    erasure: { email, site_url: "https://shop-1.example", reason },
  })) {
    const refused = await it.call(console, "POST", `/v1/jobs/${kind}`, body)
    expect(refused.status, kind).toBe(400)
    expect(refused.text).not.toContain(email)
  }
  const everything = await it.call(console, "POST", "/v1/jobs/replay", { filter: {}, reason, dry_run: true })
  expect(everything).toMatchObject({
    status: 400,
    text: expect.stringContaining("must name a reason or a time"),
  })
  const misspelt = { filter: { channel: "nope" }, reason, dry_run: true }
  expect(await it.call(console, "POST", "/v1/jobs/resend", misspelt)).toMatchObject({
    status: 404,
    text: expect.stringContaining('no channel \\"nope\\"'),
  })
  for (const body of [
    { reason },
    { email: "no address", reason },
    { email, reason: `for ${email}` },
    { email },
  ]) {
    expect((await it.call(console, "POST", "/v1/jobs/erasure", body)).status).toBe(400)
  }
  expect(await it.sql("select * from job")).toEqual([])
  expect(console.output()).not.toContain(email)
})

test("a job that meets Kafka away waits, holds up no other, and goes on when it is back", async () => {
  await using it = await startConsoles()
  const away = await it.console({ KAFKA_BROKERS: "127.0.0.1:1" })
  await it.deliveries(10)
  const { id } = await begin(it, away, "resend", { filter: { state: "dead" }, reason: "r", per_second: 100 })
  await waitUntil("the job to wait", () => away.output().includes("a job waits for Kafka"))
  const erasure = await begin(it, away, "erasure", { email: "nobody@shop.example", reason: "r" })
  expect((await end(it, away, erasure.id)).state).toBe("done")
  expect((await read(it, away, id)).state).toBe("running")
  const back = await it.console()
  expect(await end(it, back, id)).toMatchObject({ state: "done", counts: { resent: 10 } })
})

function later(iso: string, days: number): string {
  return new Date(Date.parse(iso) + days * 86_400_000).toISOString()
}
