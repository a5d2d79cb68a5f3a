import { createSecretKey } from "node:crypto"
import { keyedDigest, openPool, type Pool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { deliveryRows } from "../test/fixtures/deliverySql.ts"
import { newDelivery } from "../test/fixtures/newDelivery.ts"
import { plainAttempt } from "../test/fixtures/plainAttempt.ts"
import type { NewDelivery } from "./delivery.ts"
import { type FirstOutcome, storeDeliveries as storeWithKey } from "./store.ts"

const digestKey = createSecretKey(Buffer.alloc(32, 1))
const storeDeliveries = (sql: Pool["sql"], batch: readonly FirstOutcome[], { erased = false } = {}) =>
  storeWithKey(sql, batch, { digestKey, publishOutcomes: erased }, { version, covers: () => erased })

let database: FreshDatabase
let pool: Pool
let version: string
beforeAll(async () => {
  database = await freshDatabase()
  pool = openPool({ url: database.url, size: 4, name: "store-test" })
  version = await readVersion()
})
afterAll(async () => {
  await pool?.close()
  await database?.drop()
})

async function readVersion(): Promise<string> {
  return (await pool.sql<{ version: string }>("select version from erasure_list"))[0]?.version ?? ""
}

const accepted = (delivery: NewDelivery): FirstOutcome => ({
  delivery,
  attempt: { ...plainAttempt, delivery_id: delivery.id },
  deferral: null,
})
const failed = (delivery: NewDelivery): FirstOutcome => ({
  delivery,
  attempt: {
    ...plainAttempt,
    delivery_id: delivery.id,
    status: 503,
    error: "status",
    response_excerpt: Buffer.from("not now"),
    state: "pending",
    scheduled: { delayMs: 60_000, failures: 1 },
    elapsed_ms: 2_000,
  },
  deferral: null,
})
const deferred = (delivery: NewDelivery): FirstOutcome => ({
  delivery,
  attempt: null,
  deferral: { reason: "breaker", elapsedMs: 3_000 },
})

async function rowOf({ id }: NewDelivery) {
  const [row] = await pool.sql(
    `select state::text, attempts, last_error, last_status, state_error, deferred_reason::text as reason, failures,
            convert_from(body, 'UTF8') as body, substring(reference_key from 1 for 3) = substring(uuid_send(id) from 1 for 3) as searchable,
            email_digest, created_at, finished_at is not null as finished, deferred_at is not null as deferred,
            extract(epoch from next_attempt_at - stored_at)::int as due_in_s,
            extract(epoch from stored_at - period_started_at)::int as elapsed_s,
            (select count(*)::int from attempt where delivery_id = delivery.id) as attempt_rows
       from ${deliveryRows} where id = $1`,
    [id],
  )
  return row
}

test("a batch stores each delivery with the outcome of its first attempt, or with its deferral", async () => {
  const [one, two, three, four] = ["accepted", "failed", "deferred", "dead"].map((event) =>
    newDelivery(event),
  ) as [NewDelivery, NewDelivery, NewDelivery, NewDelivery]
  const died = failed(four)
  if (died.attempt) Object.assign(died.attempt, { state: "dead", scheduled: null })
  await storeDeliveries(pool.sql, [accepted(one), failed(two), deferred(three), died])
  const none = {
    last_error: null,
    last_status: null,
    reason: null,
    failures: null,
    due_in_s: null,
    elapsed_s: null,
  }
  const row = {
    ...none,
    finished: false,
    deferred: false,
    searchable: true,
    email_digest: keyedDigest(digestKey, "ab"),
    created_at: new Date(one.appendedAt),
  }
  expect(await rowOf(one)).toEqual({
    ...row,
    body: '{"id":"accepted"}',
    state: "delivered",
    attempts: 1,
    state_error: null,
    finished: true,
    attempt_rows: 1,
  })
  const error = { last_error: "status", last_status: 503 }
  expect(await rowOf(two)).toEqual({
    ...row,
    ...error,
    body: '{"id":"failed"}',
    state: "pending",
    attempts: 1,
    state_error: "pending:status",
    failures: 1,
    due_in_s: 60,
    elapsed_s: 2,
    attempt_rows: 1,
  })
  expect(await rowOf(three)).toEqual({
    ...row,
    body: '{"id":"deferred"}',
    state: "pending",
    attempts: 0,
    state_error: "pending:",
    reason: "breaker",
    deferred: true,
    failures: 0,
    elapsed_s: 3,
    attempt_rows: 0,
  })
  expect(await rowOf(four)).toMatchObject({
    ...error,
    state: "dead",
    finished: true,
    state_error: "dead:status",
  })
  expect(await pool.sql("select delivery_id from ended_delivery")).toEqual([{ delivery_id: four.id }])
})

test("a delivery that names an erased person is stored without the body, the response and what could confirm a guess", async () => {
  const delivery = newDelivery("erased")
  await storeDeliveries(pool.sql, [failed(delivery)], { erased: true })
  expect(await rowOf(delivery)).toMatchObject({
    body: "",
    state: "erased",
    searchable: null,
    finished: true,
    due_in_s: null,
    failures: null,
    attempt_rows: 1,
  })
  const personal = await pool.sql(
    "select response_excerpt, request_headers, (select body_sha256 from delivery where id = $1) as hash from attempt where delivery_id = $1",
    [delivery.id],
  )
  expect(personal).toEqual([{ response_excerpt: null, request_headers: null, hash: Buffer.alloc(0) }])
  // So its publisher hears of it, if the installation publishes outcomes.
  expect(
    await pool.sql("select state::text, attempts from ended_delivery where event_id = 'erased'"),
  ).toEqual([{ state: "erased", attempts: 1 }])
})

test("a delivery without anything that would end its wait is rejected", async () => {
  const outcome = failed(newDelivery("without a retry"))
  if (outcome.attempt) outcome.attempt.scheduled = null
  await expect(storeDeliveries(pool.sql, [outcome])).rejects.toThrow('null value in column "state"')
})

test("two processes that store the same events at once do not end in a deadlock", async () => {
  const events = Array.from({ length: 20 }, (_, at) => newDelivery(`shared-${at}`))
  const holding = await pool.driver.connect()
  await holding.query("begin")
  const held = async (text: string, values: readonly unknown[] = []) =>
    (await holding.query(text, [...values])).rows
  await storeDeliveries(held as Pool["sql"], [accepted(events[10] as NewDelivery)])
  const both = [
    storeDeliveries(pool.sql, events.map(accepted)),
    storeDeliveries(pool.sql, events.toReversed().map(accepted)),
  ]
  await waitUntil("both to wait", async () => {
    const [row] = await pool.sql<{ waits: number }>(
      "select count(*)::int as waits from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return row?.waits === 2
  })
  await holding.query("commit")
  holding.release()
  await Promise.all(both)
  expect(await pool.sql("select count(*)::int as n from delivery where event_id like 'shared-%'")).toEqual([
    { n: 20 },
  ])
})

test("nothing is stored by a statement that waited while an erasure was requested", async () => {
  const erasing = await pool.driver.connect()
  await erasing.query("begin")
  // Makes the statement wait after Postgres has taken its snapshot.
  await erasing.query("select pg_advisory_xact_lock(1936291941, 2)")
  const storing = storeDeliveries(pool.sql, [accepted(newDelivery("checked too early"))])
  await waitUntil("the statement to wait", async () => {
    const waiting = await pool.sql(
      "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
    )
    return waiting.length === 1
  })
  await erasing.query(
    "insert into job (id, kind, filter, reason, requested_by) values ('job_1', 'erasure', '{}', 'r', 'k')",
  )
  await erasing.query("commit")
  erasing.release()
  expect(await storing).toBe(null)
  expect(await pool.sql("select from known_event where event_id = 'checked too early'")).toEqual([])
  version = await readVersion()
})
