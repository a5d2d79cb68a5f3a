import { type DeliveryDue, jobSchema } from "@sitewire/contracts"
import type { Incoming } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { begin, end, endErasure, read } from "../fixtures/jobs.ts"
import { startConsoles } from "../fixtures/startConsoles.ts"

const dueOf = ({ value }: Incoming): DeliveryDue => JSON.parse(String(value))
const unique = (values: unknown[]) => new Set(values).size

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
  const rows = () =>
    it.sql<{ id: string; next_attempt_at: Date | null }>("select * from delivery order by id")
  const before = await rows()

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
  // They wait for their attempts, which no dispatcher makes here; nothing else has changed.
  const resent = new Set([...wanted, ...delivered])
  expect(await rows()).toEqual(
    before.map((row) => (resent.has(row.id) ? { ...row, next_attempt_at: expect.any(Date) } : row)),
  )

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

test("a cancel takes back what was planned, once: what another resend marked meanwhile still waits", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const [delivery = ""] = await it.deliveries(1, { state: "delivered", attempts: 1 })
  const through = delivery
  const planned = { attempts: [[delivery, 2]], through, leftOut: 0, last: true }
  // Its next step is far away, so it is cancelled between its plan and its publishing.
  const position = { perSecond: 1, after: "", planned, notBefore: "2999-01-01T00:00:00Z" }
  await it.sql("update delivery set next_attempt_at = now()")
  await it.sql(
    `insert into job (id, kind, state, filter, reason, requested_by, position, counts)
     values ('job_planned', 'resend', 'running', '{}', 'r', 'k', $1, '{}')`,
    [JSON.stringify(position)],
  )
  const waiting = async () => (await it.sql("select from delivery where next_attempt_at is not null")).length
  const cancel = () => it.call(console, "POST", "/v1/jobs/job_planned/cancel")
  expect(await cancel()).toMatchObject({ status: 200, json: { state: "cancelled" } })
  expect(await waiting()).toBe(0)
  expect((await it.call(console, "POST", `/v1/deliveries/${delivery}/resend`)).status).toBe(202)
  expect(await cancel()).toMatchObject({ status: 200, json: { state: "cancelled" } })
  expect(await waiting()).toBe(1)
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
  // What was planned and not sent waits for nothing.
  const waiting = await it.sql("select from delivery where next_attempt_at is not null")
  expect(waiting).toHaveLength(length)
  // Another job has its turns meanwhile: the runner is alive and leaves the cancelled one alone.
  const other = await begin(it, console, "erasure", { email: "nobody@shop.example", reason: "r" })
  await endErasure(it, console, other.id)
  expect((await it.read(it.names.resend)).length).toBe(length)
})
