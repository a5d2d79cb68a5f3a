import { type Notification, operatorNotificationSchema, type Page } from "@sitewire/contracts"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { updateNotifications } from "./updateNotifications.ts"

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

const sql = (text: string) => console.pool.sql(text)
const update = () => updateNotifications(console.pool)

async function list(query = ""): Promise<Notification[]> {
  const { status, text } = await console.call("GET", `/v1/notifications${query}`)
  expect(status).toBe(200)
  return (JSON.parse(text) as Page<Notification>).data
}

/** The messages to operators that were stored since the last call, as (channel, body). */
async function messages() {
  const rows = await console.pool.sql<{ id: string; channel_id: string; body: Buffer; waits: boolean }>(
    `select id, delivery.channel_id, body,
            deferred_reason = 'notification' and state = 'pending' and body_sha256 = sha256(body) as waits
       from delivery left join waiting_delivery on delivery_id = id where event_id like 'ntf_%' order by delivery.channel_id`,
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
  for (const table of ["notification", "waiting_delivery", "delivery"]) await sql(`delete from ${table}`)
}

/** Lets five minutes pass since the problems were seen. */
const passFiveMinutes = () => sql("update notification set seen_at = seen_at - interval '301 seconds'")

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
  expect(await list("?status=firing&event=channel.failing&subject=acme")).toMatchObject([
    { id: body.notification, resolved_at: null, summary: body.summary },
  ])

  // It closes and opens again: no further message.
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
  expect(await list("?status=firing")).toEqual([])
  expect(await list("?status=resolved")).toMatchObject([{ id: body.notification, status: "resolved" }])
})

test("a console that did not run for an hour does not resolve what still exists", async () => {
  await sql(
    "update channel set other_secret_id = 'sec_x', other_secret_sealed = '', other_secret_state = 'staged', other_secret_since = now() - interval '8 days' where id = 'acme'",
  )
  onTestFinished(() => reset("update channel set other_secret_id = null, other_secret_since = null"))
  await update()
  await passFiveMinutes()
  expect(await update()).toEqual([])
  expect(await list()).toMatchObject([{ event: "rotation.unfinished", status: "firing" }])
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
  expect(await keptAfter("ended_at = ended_at - interval '2 minutes'")).toBe(0)
})

test("connections that fail are notified by host, and only after 15 minutes", async () => {
  await sql(
    `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed)
     select 'con-' || n, 'shop.example', 'https://data.example/secret-' || n, '', '', '' from generate_series(1, 300) n`,
  )
  await sql(
    `insert into sync_window (connection_id, failing_since, last_error)
     select id, now() - interval '16 minutes', 'timeout' from connection where id <> 'con-7'`,
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
    details: { connections: 299, last_error: "timeout" },
  })
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
      event: "certificate.expiring",
      subject: { id: "acme" },
      details: { expires_at: expect.stringMatching(/Z$/) },
    },
  ])
})

test("keys of a channel may not list notifications", async () => {
  const { status } = await console.call("GET", "/v1/notifications", {
    key: await console.keyWith("channel:acme"),
  })
  expect(status).toBe(403)
})
