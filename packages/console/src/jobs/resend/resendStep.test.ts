import { jobSchema } from "@sitewire/contracts"
import { openPool, type Pool } from "@sitewire/database"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { type Jobs, startJobs } from "../../../test/fixtures/jobs.ts"
import { sealingKeys } from "../../../test/fixtures/startConsole.ts"
import { countResend } from "./countResend.ts"
import { firstResendPosition, resendStep } from "./resendStep.ts"

type Row = {
  id: string
  state: string
  finished_at: Date | null
  state_error: string | null
}

const readRows = (it: Jobs) =>
  it.sql<Row>(
    `select delivery.*, next_attempt_at, deferred_at, deferred_reason, failures
       from delivery left join waiting_delivery on delivery_id = id order by id`,
  )
const readDeferred = async (it: Jobs) =>
  (
    await it.sql<{ id: string }>(
      "select delivery_id as id from waiting_delivery where deferred_reason = 'resend' order by id",
    )
  ).map(({ id }) => id)

/** The row after a resend. */
const resentRow = (row: Row) => ({
  ...row,
  last_job: expect.stringMatching(/^job_/),
  state: row.state === "dead" ? "pending" : row.state,
  finished_at: row.state === "dead" ? null : row.finished_at,
  deferred_at: expect.any(Date),
  deferred_reason: "resend",
  failures: 0,
  state_error: row.state === "dead" ? "pending:" : row.state_error,
})

test("a resend defers exactly the deliveries that match its filter, leaves out erased ones, and records who requested it and why", async () => {
  await using it = await startJobs()
  const wanted = await it.deliveries(30, { days: 3 })
  await it.deliveries(5, { days: 4 })
  await it.deliveries(5, { days: 1 })
  await it.deliveries(5, { days: 2.9, channel: "other" })
  await it.deliveries(4, { days: 2.8, state: "erased" })
  const delivered = await it.deliveries(5, { days: 2.7, state: "delivered", attempts: 1 })
  const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const filter = { channel: "acme", created_after: day(3.5), created_before: day(2.5) }
  await it.sql("update delivery set finished_at = now() where state <> 'pending'")
  const before = await readRows(it)

  const dry = { filter, reason: "count", dry_run: true }
  expect(await it.call("POST", "/v1/jobs/resend", { body: dry })).toMatchObject({
    status: 200,
    json: { dry_run: true, matching: 35, left_out: 4, complete: true },
  })
  expect(await it.sql("select * from job")).toEqual([])

  const request = { filter, reason: "ticket 17", per_second: 500 }
  const { id, ...begun } = await it.begin("resend", request)
  expect(begun).toMatchObject({
    kind: "resend",
    filter,
    per_second: 500,
    reason: "ticket 17",
    requested_by: `${(await it.call("GET", "/v1/keys/current")).json.id} (test)`,
    remains: null,
  })
  const done = await it.end(id)
  expect(done).toMatchObject({ state: "done", counts: { resent: 35, left_out: 4 }, total: 39 })
  expect(done.finished_at).not.toBeNull()
  const resent = new Set([...wanted, ...delivered])
  expect(await readRows(it)).toEqual(before.map((row) => (resent.has(row.id) ? resentRow(row) : row)))

  const list = await it.call("GET", "/v1/jobs?limit=1")
  expect(list.json).toEqual({ data: [done], next_cursor: null })
  expect((await it.call("POST", `/v1/jobs/${id}/cancel`)).status).toBe(409)
  expect((await it.call("GET", "/v1/jobs/none")).status).toBe(404)
})

test("a resend by state defers the deliveries in that state, and no others", async () => {
  await using it = await startJobs()
  // A dead delivery becomes pending by its resend, so the dead ones are last.
  const states = ["pending", "delivered", "dead"] as const
  const ids = new Map<string, string[]>()
  for (const [at, state] of states.entries()) ids.set(state, await it.deliveries(4, { days: 3 - at, state }))
  const deferred: string[] = []
  for (const state of states) {
    const request = { filter: { state }, reason: "r", per_second: 500 }
    const dry = await it.call("POST", "/v1/jobs/resend", { body: { ...request, dry_run: true } })
    expect(dry.json).toMatchObject({ matching: 4 })
    const { id } = await it.begin("resend", request)
    expect(await it.end(id)).toMatchObject({ counts: { resent: 4 } })
    deferred.push(...(ids.get(state) ?? []))
    expect(await readDeferred(it)).toEqual(deferred.toSorted())
  }
})

function resendOf(filter: object, it: Jobs, pool: Pool) {
  const now = new Date()
  const invalidTopic = { end: () => Promise.reject(), read: () => Promise.reject() }
  const publish = () => Promise.reject(new Error("a resend publishes nothing"))
  return {
    job: { id: "job_x", kind: "resend", filter, createdAt: now, now } as const,
    context: { sql: pool.sql, sealingKeys, publish, invalidTopic, topics: it.names },
  }
}

test("deliveries of a month are counted exactly, and a count that takes too long does not stop the resend", async () => {
  await using it = await startJobs()
  for (const days of [29, 12, 3, 0.01]) await it.deliveries(20, { days })
  await it.deliveries(3, { days: 4, channel: "other" })
  await it.deliveries(4, { days: 2, state: "erased" })
  const pool = openPool({ url: it.databaseUrl, size: 2, name: "resend-test" })
  const { job, context } = resendOf({ channel: "acme" }, it, pool)
  const count = (deadlineMs: number, most?: number) =>
    countResend(pool.sql, job.filter, { now: job.now, deadlineMs, ...(most === undefined ? {} : { most }) })
  expect(await count(60_000)).toEqual({ matching: 80, left_out: 4, complete: true })
  // No statement reads more than 7, and each is counted once.
  expect(await count(60_000, 7)).toEqual({ matching: 80, left_out: 4, complete: true })
  expect(await count(0)).toEqual({ matching: 0, left_out: 0, complete: false })
  const uncounted = { ...firstResendPosition(1_000), total: null }
  expect(await resendStep({ ...job, position: uncounted }, context)).toMatchObject({
    position: { total: null },
    counts: { resent: 80, left_out: 4 },
    done: true,
  })
  await pool.close()
})

test("a delivery that is erased or changes its state while a step waits for its row is left out", async () => {
  await using it = await startJobs()
  const [erased = "", delivered = "", dead = ""] = await it.deliveries(3)
  const pool = openPool({ url: it.databaseUrl, size: 2, name: "resend-test" })
  const other = await pool.driver.connect()
  await other.query("begin")
  await other.query("update delivery set state = 'erased' where id = $1", [erased])
  await other.query("update delivery set state = 'delivered' where id = $1", [delivered])
  const { job, context } = resendOf({ state: "dead" }, it, pool)
  const step = resendStep({ ...job, position: { ...firstResendPosition(100), total: 3 } }, context)
  await waitUntil("the step to wait", async () => {
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return (await it.sql(waiting)).length > 0
  })
  await other.query("commit")
  other.release()
  expect(await step).toMatchObject({ counts: { resent: 1, left_out: 2 }, done: true })
  expect(await readDeferred(it)).toEqual([dead])
  await pool.close()
})

test("two runners share a job: nothing is deferred twice, and the rate limits both together", async () => {
  await using it = await startJobs()
  await it.run()
  const ids = await it.deliveries(200)
  const startedAt = performance.now()
  const { id } = await it.begin("resend", { filter: { state: "dead" }, reason: "r", per_second: 80 })
  expect(await it.end(id)).toMatchObject({ state: "done", counts: { resent: 200 } })
  // The job is done before the last step's interval is over.
  expect(performance.now() - startedAt).toBeGreaterThan(((200 - 20) / 80) * 1_000 * 0.95)
  expect(await readDeferred(it)).toEqual(ids)
})

test("after a cancel has responded, nothing more is deferred, and what was deferred stays deferred", async () => {
  await using it = await startJobs()
  await it.deliveries(500)
  const { id } = await it.begin("resend", {
    filter: { channel: "acme" },
    reason: "r",
    per_second: 40,
  })
  await waitUntil("some to be resent", async () => ((await it.read(id)).counts.resent ?? 0) > 0)
  const cancelled = await it.call("POST", `/v1/jobs/${id}/cancel`)
  expect(cancelled).toMatchObject({ status: 200, json: { state: "cancelled" } })
  const { length } = await readDeferred(it)
  expect(length).toBeLessThan(500)
  expect(jobSchema.parse(cancelled.json).counts.resent).toBe(length)
  // Another job runs meanwhile, which shows that the runner works and skips the cancelled job.
  const other = await it.begin("erasure", { email: "nobody@shop.example", reason: "r" })
  await it.end(other.id)
  expect(await readDeferred(it)).toHaveLength(length)
})

test("a resend leaves out deliveries of deleted channels, because nothing would send them", async () => {
  await using it = await startJobs()
  await it.deliveries(3, { days: 1, channel: "gone" })
  const wanted = await it.deliveries(2, { days: 1 })
  await it.sql("delete from channel where id = 'gone'")
  const filter = { created_after: new Date(Date.now() - 2 * 86_400_000).toISOString() }
  const dry = await it.call("POST", "/v1/jobs/resend", { body: { filter, reason: "test", dry_run: true } })
  expect(dry.json).toMatchObject({ matching: 2, left_out: 3 })
  const { id } = await it.begin("resend", { filter, reason: "test" })
  expect(await it.end(id)).toMatchObject({ state: "done", counts: { resent: 2, left_out: 3 } })
  expect(await readDeferred(it)).toEqual(wanted.toSorted())
})
