import {
  type Incident,
  lowestDeliveryId,
  operatorNotificationSchema,
  type Page,
  sha256,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import type { FoundNow } from "./incidentRow.ts"
import { updateIncidents } from "./updateIncidents.ts"

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
const update = (elsewhere: FoundNow = new Map()) => updateIncidents(console.pool, elsewhere)

async function list(query = ""): Promise<Incident[]> {
  const { status, text } = await console.call("GET", `/v1/incidents${query}`)
  expect(status).toBe(200)
  return (JSON.parse(text) as Page<Incident>).data
}

/** The messages to operators that were stored since the last call, as (channel, body). */
async function messages() {
  const rows = await console.pool.sql<{ id: string; channel_id: string; body: Buffer; waits: boolean }>(
    `select id, delivery.channel_id, body,
            deferred_reason = 'notification' and state = 'pending' and body_sha256 = sha256(body) as waits
       from delivery left join waiting_delivery on delivery_id = id where event_id like 'inc_%' order by delivery.channel_id`,
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
  for (const table of ["incident", "channel_failure", "waiting_delivery", "delivery"])
    await sql(`delete from ${table}`)
}

/** Lets five minutes pass since the incidents were seen. */
const passFiveMinutes = () => sql("update incident set seen_at = seen_at - interval '301 seconds'")

/** The first channels, by their ids, fail. */
const failing = (count: number) =>
  sql(
    `insert into channel_failure (channel_id, since, failures, last_failed_at, last_error, last_status, last_detail)
     select id, now() - interval '3 minutes', 3, now(), 'status', 302, 'redirects are not followed' from channel order by id limit ${count}
     on conflict (channel_id) do update set ended_at = null`,
  )
const recover = () => sql("update channel_failure set ended_at = now() - interval '2 seconds'")

test("a failing channel is notified once to each channel for operators, and once more when it has not failed for five minutes", async () => {
  onTestFinished(() => reset())
  await failing(1)
  const times = async () =>
    (await sql<{ since: Date; ended_at: Date | null }>("select since, ended_at from channel_failure"))[0]
  const since = (await times())?.since.toISOString()
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
    summary: "Deliveries to the channel acme fail.",
    detail: "HTTP 302 (redirects are not followed).",
    command: "sitewire channel health acme",
    page: "/channels/acme",
    details: { waiting: 0, dead: 0 },
    since,
  })
  expect(await list("?state=open&kind=channel.failing&subject=acme")).toMatchObject([
    { id: body.notification, resolved_at: null, summary: body.summary, detail: body.detail },
  ])

  // It recovers and fails again: no further message, and the same incident.
  await recover()
  const resolved_at = (await times())?.ended_at?.toISOString()
  expect(await update()).toEqual([])
  expect(await list("?state=open")).toEqual([])
  expect(await list("?state=resolved")).toMatchObject([{ id: body.notification, resolved_at }])
  await failing(1)
  expect(await update()).toEqual([])
  expect(await list("?state=open")).toMatchObject([{ id: body.notification, resolved_at: null }])
  expect(await messages()).toEqual([])

  await recover()
  await passFiveMinutes()
  await update()
  const resolved = await messages()
  expect(resolved.map(({ channel }) => channel)).toEqual(["ops", "ops-2"])
  expect(resolved[0]?.body).toMatchObject({ status: "resolved", notification: body.notification })
  await failing(1)
  await update()
  expect((await list("?state=open"))[0]?.id).not.toBe(body.notification)
})

test("open incidents are one for each partner: our faults first, then by what is lost, last what is acknowledged", async () => {
  onTestFinished(() => reset("delete from dispatcher"))
  await failing(3)
  const dead = (channel: string, count: number) =>
    sql(
      `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state, last_error, attempts, finished_at)
       select (left($1::text, 23) || '-' || lpad(to_hex(n), 12, '0'))::uuid, $2 || n, $2, '', $3, 'c', 'dead', 'timeout', 8, now()
         from generate_series(1, $4) as n`,
      [lowestDeliveryId(Date.now() - 60_000 * count), channel, sha256(Buffer.from("")), count],
    )
  await dead("acme", 1)
  await dead("ops-2", 2)
  await sql("insert into dispatcher (id, seen_at) values ('dsp_1', now() - interval '2 minutes')")
  await update()
  const shown = async () =>
    (await list("?state=open")).map(({ kind, subject, details }) => [kind, subject.id, details.dead])
  const ours = ["dispatcher.missing", "dispatchers", undefined]
  const failures = [
    ["channel.failing", "ops-2", 2],
    ["channel.failing", "acme", 1],
    ["channel.failing", "ops", 0],
  ]
  expect(await shown()).toEqual([ours, ...failures])
  await sql("update channel_failure set ended_at = now() where channel_id = 'ops-2'")
  await sql("update incident set acknowledged_at = now() where kind = 'dispatcher.missing'")
  await update()
  expect(await shown()).toEqual([["delivery.dead", "ops-2", 2], ...failures.slice(1), ours])
  const { json } = await console.call("GET", "/v1/incidents?state=open&limit=1")
  expect(json.channels).toBe("No channel succeeds now, so the cause is probably ours.")
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

test("connections that fail are notified by host with what failed in words, and only after two minutes", async () => {
  await sql(
    `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed)
     select 'con-' || n, 'shop.example', 'https://data.example/secret-' || n, '', '', '' from generate_series(1, 300) n`,
  )
  await sql(
    `insert into sync_window (connection_id, failing_since, last_error, last_status)
     select id, now() - n * interval '3 minutes', (array['status', 'timeout'])[n], (array[502])[n]
       from (select id, case id when 'con-1' then 1 else 2 end as n from connection where id <> 'con-7') as failing`,
  )
  await sql(
    "insert into sync_window (connection_id, failing_since) values ('con-7', now() - interval '1 minute')",
  )
  onTestFinished(() => reset("delete from connection"))
  await update()
  const sent = await messages()
  expect(sent).toHaveLength(2)
  expect(sent[0]?.body).toMatchObject({
    event: "connection.failing",
    subject: { kind: "source", id: "data.example" },
    summary: "The sources of 299 connections on data.example fail.",
    detail: "The last sync of con-1: the source responded with 502 Bad Gateway.",
    details: {
      connections: 299,
      connection: "con-1",
      reason: "the source responded with 502 Bad Gateway",
    },
  })
  const { since, details } = sent[0]?.body ?? { since: "" }
  expect(Date.now() - Date.parse(since)).toBeGreaterThan(5 * 60_000)
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

test("keys of a channel may not list incidents", async () => {
  const { status } = await console.call("GET", "/v1/incidents", {
    key: await console.keyWith("channel:acme"),
  })
  expect(status).toBe(403)
})

test("an incident is acknowledged until it ends, also while it flaps; the next one is not", async () => {
  onTestFinished(() => reset())
  await failing(1)
  await update()
  const [{ id }] = (await list("?state=open")) as [Incident]
  const path = `/v1/incidents/${id}/acknowledge`
  const acknowledge = (note: string) => console.call("POST", path, { body: { note } })
  const acknowledged = await acknowledge("ask owner@partner.example, ticket 4711")
  const note = "ask o***@partner.example, ticket 4711"
  expect(acknowledged).toMatchObject({ status: 200, json: { acknowledgement: { note } } })
  expect(JSON.stringify(await sql("select * from incident"))).not.toContain("owner@")
  const [entry] = await sql(
    "select changes, target_id from audit_entry where operation = 'acknowledgeIncident'",
  )
  expect(entry).toMatchObject({ target_id: id, changes: { note: { old: null, new: note } } })

  await recover()
  expect(await update()).toEqual([])
  await failing(1)
  expect(await update()).toEqual([])
  expect(await list("?state=open")).toMatchObject([{ id, acknowledgement: { note } }])
  await console.call("DELETE", path)
  expect(await list("?state=open")).toMatchObject([{ id, acknowledgement: null }])
  await acknowledge("ticket 4712")

  await recover()
  await passFiveMinutes()
  await update()
  expect(await list("?state=resolved")).toMatchObject([{ id, acknowledgement: { note: "ticket 4712" } }])
  expect(await acknowledge("too late")).toMatchObject({ status: 409, json: { code: "incident-resolved" } })
  await failing(1)
  await update()
  const [next] = await list("?state=open")
  expect(next).toMatchObject({ kind: "channel.failing", acknowledgement: null })
  expect(next?.id).not.toBe(id)
  expect(
    (await console.call("POST", "/v1/incidents/inc_0/acknowledge", { body: { note: "n" } })).status,
  ).toBe(404)
  const long = await console.call("POST", path, { body: { note: "n".repeat(501) } })
  expect(long).toMatchObject({ status: 400, json: { errors: [{ field: "note" }] } })
})

test("of a thousand failing channels, a hundred are listed, and the others are one incident", async () => {
  await sql(
    `insert into channel (id, address, secret_id, secret_sealed, updated_at)
     select 'many-' || n, 'https://many.example/', 's', '', now() from generate_series(1, 1000) n`,
  )
  onTestFinished(() => reset("delete from channel where id like 'many-%'"))
  await failing(1_003)
  await Promise.all([update(), update()])
  await update()
  const open = await sql<{ subject_id: string }>(
    "select subject_id from incident where resolved_at is null order by subject_id",
  )
  expect(open).toHaveLength(101)
  expect(await list("?subject=*")).toMatchObject([
    { summary: expect.stringContaining("903 more"), max_count: 903, details: { incidents: 903 } },
  ])
  // Two channels receive messages.
  expect(await messages()).toHaveLength(2 * 101)
  // A part recovers: those that are listed stay, and the highest number is kept.
  const listed = open.flatMap(({ subject_id: id }) => (id === "*" ? [] : [id])).slice(0, 50)
  await sql("delete from channel_failure where channel_id <> all($1)", [listed])
  expect(await update()).toEqual([])
  await passFiveMinutes()
  await update()
  expect(await list("?state=open&subject=*")).toEqual([])
  expect(await list("?state=resolved&subject=*")).toMatchObject([{ max_count: 903 }])
  expect(await sql("select from incident where resolved_at is null")).toHaveLength(50)
})

test("deliveries that are still dead are an incident until they are resent, however long ago they died", async () => {
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

test("a channel's dead deliveries stay an incident while others have the newest 10,000", async () => {
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
  expect(await dead()).toMatchObject([{ state: "open", details: { dead: 3 } }])
  await sql("delete from delivery where channel_id = 'acme'")
  await passFiveMinutes()
  await update()
  expect(await dead()).toMatchObject([{ state: "resolved" }])
})

test("incidents in Kafka are stored without a message, and stay open while Kafka cannot be read", async () => {
  onTestFinished(() => reset())
  const behind = (records: number): FoundNow =>
    new Map([
      ["topic.behind", [{ subject_id: "site.paid", since: new Date(), details: { group: "g", records } }]],
    ])
  await update(behind(5))
  await update(behind(80))
  await update(behind(7))
  await passFiveMinutes()
  await update()
  expect(await list("?state=open")).toMatchObject([
    { subject: { kind: "topic", id: "site.paid" }, details: { records: 7 }, max_count: 80 },
  ])
  await passFiveMinutes()
  await update(new Map([["topic.behind", []]]))
  expect(await list("?state=resolved")).toMatchObject([{ kind: "topic.behind" }])
  expect(await messages()).toEqual([])
})

test("a paused channel and overdue attempts are incidents without a message", async () => {
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
    `insert into incident (id, kind, subject_id, details, since, created_at, resolved_at, closed_at)
     select 'inc_' || n, 'channel.failing', 'acme', '{}', now(), now() - n * interval '1 hour', now(), now() from generate_series(1, 9) n`,
  )
  onTestFinished(() => reset())
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const period = `?created_after=${at(7.5)}&created_before=${at(3.5)}`
  expect((await list(period)).map(({ id }) => id)).toEqual(["inc_4", "inc_5", "inc_6", "inc_7"])
  const page = (await console.call("GET", `/v1/incidents${period}&limit=3`)).json as Page<Incident>
  const rest = await list(`${period}&limit=3&cursor=${page.next_cursor}`)
  expect([...page.data, ...rest].map(({ id }) => id)).toEqual(["inc_4", "inc_5", "inc_6", "inc_7"])
})
