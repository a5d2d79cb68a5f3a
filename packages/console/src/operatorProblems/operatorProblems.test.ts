import {
  lowestDeliveryId,
  type OperatorProblem,
  operatorNotificationSchema,
  type Page,
  sha256,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import type { FoundInKafka } from "./findInKafka.ts"
import { updateProblems } from "./updateProblems.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  for (const id of ["acme", "ops", "ops-2"]) {
    const body = { id, address: `https://${id}.example/hook`, operator_notifications: id !== "acme" }
    const created = await console.call("POST", "/v1/channels", { body })
    expect(created.json).toMatchObject({ operator_notifications: id !== "acme" })
  }
})
afterAll(() => console.close())

const sql: Sql = (text, values) => console.pool.sql(text, values)
const update = (inKafka: FoundInKafka | null = null) => updateProblems(console.pool, inKafka)

async function list(query = ""): Promise<OperatorProblem[]> {
  const { status, text } = await console.call("GET", `/v1/problems${query}`)
  expect(status).toBe(200)
  return (JSON.parse(text) as Page<OperatorProblem>).data
}

/** The messages to operators that were stored since the last call, as (channel, body). */
async function messages() {
  const rows = await console.pool.sql<{ id: string; channel_id: string; body: Buffer; waits: boolean }>(
    `select id, delivery.channel_id, body,
            deferred_reason = 'notification' and state = 'pending' and body_sha256 = sha256(body) as waits
       from delivery left join waiting_delivery on delivery_id = id where event_id like 'prb_%' order by delivery.channel_id`,
  )
  await sql("delete from waiting_delivery")
  await sql("delete from delivery")
  expect(rows.every(({ waits }) => waits)).toBe(true)
  return rows.map(({ channel_id: channel, body }) => ({
    channel,
    body: operatorNotificationSchema.parse(JSON.parse(body.toString())),
  }))
}

async function reset(...statements: string[]): Promise<void> {
  for (const statement of statements) await sql(statement)
  for (const table of ["operator_problem", "waiting_delivery", "delivery"]) await sql(`delete from ${table}`)
}

/** Lets five minutes pass since the problems were seen. */
const passFiveMinutes = () => sql("update operator_problem set seen_at = seen_at - interval '301 seconds'")

test("a failing channel is notified once to each channel for operators, and once more when it is resolved", async () => {
  await sql("insert into dispatcher (id) values ('dsp_1')")
  await sql(
    `insert into channel_status (channel_id, dispatcher_id, breaker_opened_at, failures, concurrency_limit, in_flight, average_ms)
     values ('acme', 'dsp_1', now() - interval '3 minutes', 20, 1, 0, 50)`,
  )
  onTestFinished(() => reset("delete from channel_status", "delete from dispatcher"))
  // Two consoles at once.
  await Promise.all([update(), update()])
  await update()
  const fired = await messages()
  expect(fired.map(({ channel }) => channel)).toEqual(["ops", "ops-2"])
  const [{ body }] = fired as [(typeof fired)[0]]
  expect(body).toMatchObject({
    event: "channel.failing",
    status: "firing",
    subject: { kind: "channel", id: "acme" },
    next_step: "sitewire channel health acme",
    details: { breakers_open: 1, deferred: 0 },
  })
  expect(Date.now() - Date.parse(body.since)).toBeGreaterThan(179_000)
  expect(await list("?state=open&kind=channel.failing&subject=acme")).toMatchObject([
    { id: body.notification, resolved_at: null, summary: body.summary },
  ])

  // It closes and opens again: no further message, and the same problem.
  await sql("update channel_status set breaker_opened_at = null")
  expect(await update()).toEqual([])
  await sql("update channel_status set breaker_opened_at = now()")
  expect(await update()).toEqual([])
  expect(await messages()).toEqual([])

  await sql("delete from channel_status")
  await passFiveMinutes()
  await update()
  const resolved = await messages()
  expect(resolved.map(({ channel }) => channel)).toEqual(["ops", "ops-2"])
  expect(resolved[0]?.body).toMatchObject({ status: "resolved", notification: body.notification })
  expect(await list("?state=open")).toEqual([])
  expect(await list("?state=resolved")).toMatchObject([{ id: body.notification, state: "resolved" }])
})

test("a console that did not run for an hour does not resolve what still exists", async () => {
  await sql(
    "update channel set other_secret_id = 'sec_x', other_secret_sealed = '', other_secret_state = 'staged', other_secret_since = now() - interval '8 days' where id = 'acme'",
  )
  onTestFinished(() => reset("update channel set other_secret_id = null, other_secret_since = null"))
  await update()
  await passFiveMinutes()
  expect(await update()).toEqual([])
  expect(await list()).toMatchObject([{ kind: "rotation.unfinished", state: "open" }])
})

test("deliveries that become dead are counted for their channel, and kept for an hour and until their dead letters are published", async () => {
  await sql(
    `insert into ended_delivery (delivery_id, ended_at, event_id, channel_id, state, attempts, since, error, correlation)
     select gen_random_uuid(), now(), 'e', 'acme', 'dead', 4, now(), 'timeout', 'c' from generate_series(1, 3)`,
  )
  onTestFinished(() => reset("delete from ended_delivery"))
  await update()
  expect(await messages()).toMatchObject([
    { body: { event: "delivery.dead", subject: { id: "acme" }, details: { deliveries: 3 } } },
    { channel: "ops-2" },
  ])
  const keptAfter = async (change: string) => {
    await sql(`update ended_delivery set ${change}`)
    await update()
    return (await sql("select from ended_delivery")).length
  }
  expect(await keptAfter("ended_at = ended_at - interval '61 minutes'")).toBe(3)
  expect(await keptAfter("ended_at = ended_at + interval '2 minutes', published_at = now()")).toBe(3)
  await sql(
    `insert into ended_delivery (delivery_id, ended_at, event_id, channel_id, state, attempts, since, correlation)
     select delivery_id, now(), event_id, channel_id, 'cancelled', attempts, since, correlation from ended_delivery`,
  )
  expect(await keptAfter("ended_at = ended_at - interval '2 minutes'")).toBe(3)
  expect(await sql("select distinct state::text from ended_delivery")).toEqual([{ state: "cancelled" }])
})

test("connections that fail are notified by host with what failed in words, and only after 15 minutes", async () => {
  await sql(
    `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed)
     select 'con-' || n, 'shop.example', 'https://data.example/secret-' || n, '', '', '' from generate_series(1, 300) n`,
  )
  await sql(
    `insert into sync_window (connection_id, failing_since, last_error, last_status)
     select id, now() - n * interval '16 minutes', (array['status', 'timeout'])[n], (array[502])[n]
       from (select id, case id when 'con-1' then 1 else 2 end as n from connection where id <> 'con-7') as failing`,
  )
  await sql(
    "insert into sync_window (connection_id, failing_since) values ('con-7', now() - interval '14 minutes')",
  )
  onTestFinished(() => reset("delete from connection"))
  await update()
  const sent = await messages()
  expect(sent).toHaveLength(2)
  expect(sent[0]?.body).toMatchObject({
    event: "connection.failing",
    subject: { kind: "source", id: "data.example" },
    summary:
      "Connections whose source is on data.example have had no successful sync for 15 minutes or longer. " +
      "The last sync of con-1: the source responded with 502 Bad Gateway.",
    details: {
      connections: 299,
      connection: "con-1",
      last_reason: "the source responded with 502 Bad Gateway",
    },
  })
  const { since, details } = sent[0]?.body ?? { since: "" }
  expect(Date.now() - Date.parse(since)).toBeGreaterThan(31 * 60_000)
  expect(details).not.toHaveProperty("last_error")
  expect(JSON.stringify(sent)).not.toContain("secret-")
})

test("a certificate that expires within 14 days is notified for the channels of its server", async () => {
  await sql(`insert into receiver_certificate values
    ('https://acme.example', now() + interval '13 days', now()), ('https://ops.example', now() + interval '15 days', now()),
    ('https://nobody.example', now(), now())`)
  onTestFinished(() => reset("delete from receiver_certificate"))
  await update()
  expect(await list()).toMatchObject([
    {
      kind: "certificate.expiring",
      subject: { id: "acme" },
      details: { expires_at: expect.stringMatching(/Z$/) },
    },
  ])
})

test("keys of a channel may not list problems", async () => {
  const { status } = await console.call("GET", "/v1/problems", {
    key: await console.keyWith("channel:acme"),
  })
  expect(status).toBe(403)
})

const failing = (count: number) =>
  sql(
    `insert into channel_status (channel_id, dispatcher_id, breaker_opened_at, failures, concurrency_limit, in_flight, average_ms)
     select id, 'dsp_1', now(), 20, 1, 0, 50 from channel order by id limit ${count}`,
  )

test("a problem is acknowledged until it ends, also while it flaps; the next one is not", async () => {
  await sql("insert into dispatcher (id) values ('dsp_1')")
  onTestFinished(() => reset("delete from channel_status", "delete from dispatcher"))
  await failing(1)
  await update()
  const [{ id }] = (await list("?state=open")) as [OperatorProblem]
  const path = `/v1/problems/${id}/acknowledge`
  const acknowledge = (note: string) => console.call("POST", path, { body: { note } })
  const acknowledged = await acknowledge("ask owner@partner.example, ticket 4711")
  const note = "ask o***@partner.example, ticket 4711"
  expect(acknowledged).toMatchObject({ status: 200, json: { acknowledgement: { note } } })
  expect(JSON.stringify(await sql("select * from operator_problem"))).not.toContain("owner@")
  const [entry] = await sql(
    "select changes, target_id from audit_entry where operation = 'acknowledgeProblem'",
  )
  expect(entry).toMatchObject({ target_id: id, changes: { note: { old: null, new: note } } })

  await sql("delete from channel_status")
  expect(await update()).toEqual([])
  await failing(1)
  expect(await update()).toEqual([])
  expect(await list("?state=open")).toMatchObject([{ id, acknowledgement: { note } }])
  await console.call("DELETE", path)
  expect(await list("?state=open")).toMatchObject([{ id, acknowledgement: null }])
  await acknowledge("ticket 4712")

  await sql("delete from channel_status")
  await passFiveMinutes()
  await update()
  expect(await list("?state=resolved")).toMatchObject([{ id, acknowledgement: { note: "ticket 4712" } }])
  expect(await acknowledge("too late")).toMatchObject({ status: 409, json: { code: "problem-resolved" } })
  await failing(1)
  await update()
  const [next] = await list("?state=open")
  expect(next).toMatchObject({ kind: "channel.failing", acknowledgement: null })
  expect(next?.id).not.toBe(id)
  expect((await console.call("POST", "/v1/problems/prb_0/acknowledge", { body: { note: "n" } })).status).toBe(
    404,
  )
  const long = await console.call("POST", path, { body: { note: "n".repeat(501) } })
  expect(long).toMatchObject({ status: 400, json: { errors: [{ field: "note" }] } })
})

test("of a thousand failing channels, a hundred are listed, and the others are one problem", async () => {
  await sql(
    `insert into channel (id, address, secret_id, secret_sealed, updated_at)
     select 'many-' || n, 'https://many.example/', 's', '', now() from generate_series(1, 1000) n`,
  )
  await sql("insert into dispatcher (id) values ('dsp_1')")
  onTestFinished(() =>
    reset(
      "delete from channel_status",
      "delete from dispatcher",
      "delete from channel where id like 'many-%'",
    ),
  )
  await failing(1_003)
  await Promise.all([update(), update()])
  await update()
  const open = await sql<{ subject_id: string }>(
    "select subject_id from operator_problem where resolved_at is null order by subject_id",
  )
  expect(open).toHaveLength(101)
  expect(await list("?subject=*")).toMatchObject([
    { summary: expect.stringContaining("903 more"), max_count: 903, details: { problems: 903 } },
  ])
  // Two channels receive messages.
  expect(await messages()).toHaveLength(2 * 101)
  // A part recovers: those that are listed stay, and the highest number is kept.
  const listed = open.flatMap(({ subject_id: id }) => (id === "*" ? [] : [id])).slice(0, 50)
  await sql("delete from channel_status where channel_id <> all($1)", [listed])
  expect(await update()).toEqual([])
  await passFiveMinutes()
  await update()
  expect(await list("?state=open&subject=*")).toEqual([])
  expect(await list("?state=resolved&subject=*")).toMatchObject([{ max_count: 903 }])
  expect(await sql("select from operator_problem where resolved_at is null")).toHaveLength(50)
})

test("deliveries that are still dead are a problem until they are resent, however long ago they died", async () => {
  await sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state, last_error, attempts, finished_at)
     values ($1, 'dead-1', 'acme', '', $2, 'c', 'dead', 'timeout', 8, '2026-03-01T12:00:00Z')`,
    [lowestDeliveryId(Date.now() - 86_400_000), sha256(Buffer.from(""))],
  )
  onTestFinished(() => reset())
  await update()
  await passFiveMinutes()
  await update()
  expect(await list()).toMatchObject([
    { kind: "delivery.dead", state: "open", max_count: 1, since: "2026-03-01T12:00:00.000Z" },
  ])
  await sql("update delivery set state = 'delivered', last_error = null where event_id = 'dead-1'")
  await passFiveMinutes()
  await update()
  expect(await list("?kind=delivery.dead")).toMatchObject([{ state: "resolved" }])
})

test("a channel's dead deliveries stay a problem while others have the newest 10,000", async () => {
  const insertDead = (channel: string, count: number, at: number) =>
    sql(
      `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state, last_error, attempts, finished_at)
       select (left($1::text, 23) || '-' || lpad(to_hex(n), 12, '0'))::uuid, $2 || n, $2, '', $3, 'c', 'dead', 'timeout', 8, now()
         from generate_series(1, $4) as n`,
      [lowestDeliveryId(at), channel, sha256(Buffer.from("")), count],
    )
  onTestFinished(() => reset())
  const dayAgo = Date.now() - 86_400_000
  await insertDead("acme", 3, dayAgo)
  await update()
  await insertDead("ops", 10_000, dayAgo + 3_600_000)
  await passFiveMinutes()
  await update()
  const dead = () => list("?kind=delivery.dead&subject=acme")
  expect(await dead()).toMatchObject([{ state: "open", details: { deliveries: 3 } }])
  await sql("delete from delivery where channel_id = 'acme'")
  await passFiveMinutes()
  await update()
  expect(await dead()).toMatchObject([{ state: "resolved" }])
})

test("problems in Kafka are stored without a message, and stay open while Kafka cannot be read", async () => {
  onTestFinished(() => reset())
  const behind = (records: number): FoundInKafka =>
    new Map([
      ["topic.behind", [{ subject_id: "site.paid", since: new Date(), details: { group: "g", records } }]],
    ])
  await update(behind(5))
  await update(behind(80))
  await update(behind(7))
  await passFiveMinutes()
  await update(null)
  expect(await list("?state=open")).toMatchObject([
    { subject: { kind: "topic", id: "site.paid" }, details: { records: 7 }, max_count: 80 },
  ])
  await passFiveMinutes()
  await update(new Map([["topic.behind", []]]))
  expect(await list("?state=resolved")).toMatchObject([{ kind: "topic.behind" }])
  expect(await messages()).toEqual([])
})

test("a paused channel and overdue attempts are problems without a message", async () => {
  await sql("update channel set paused_at = now() where id = 'acme'")
  const id = lowestDeliveryId(Date.now())
  await sql(
    `with stored as (
       insert into delivery (id, event_id, channel_id, body, body_sha256, correlation)
       values ($1, 'overdue-1', 'acme', '', $2, 'c') returning id, channel_id)
     insert into waiting_delivery (delivery_id, channel_id, attempts, next_attempt_at)
     select id, channel_id, 1, now() - interval '5 minutes' from stored`,
    [id, sha256(Buffer.from(""))],
  )
  onTestFinished(() => reset("update channel set paused_at = null"))
  await update()
  const kinds = (await list("?state=open")).map(({ kind, max_count }) => `${kind} ${max_count}`)
  expect(kinds.toSorted()).toEqual(["channel.paused null", "delivery.overdue 1"])
  expect(await messages()).toEqual([])
})

test("the history of a period is listed in pages", async () => {
  await sql(
    `insert into operator_problem (id, kind, subject_id, details, since, created_at, resolved_at)
     select 'prb_' || n, 'channel.failing', 'acme', '{}', now(), now() - n * interval '1 hour', now() from generate_series(1, 9) n`,
  )
  onTestFinished(() => reset())
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const period = `?created_after=${at(7.5)}&created_before=${at(3.5)}`
  expect((await list(period)).map(({ id }) => id)).toEqual(["prb_4", "prb_5", "prb_6", "prb_7"])
  const page = (await console.call("GET", `/v1/problems${period}&limit=3`)).json as Page<OperatorProblem>
  const rest = await list(`${period}&limit=3&cursor=${page.next_cursor}`)
  expect([...page.data, ...rest].map(({ id }) => id)).toEqual(["prb_4", "prb_5", "prb_6", "prb_7"])
})
