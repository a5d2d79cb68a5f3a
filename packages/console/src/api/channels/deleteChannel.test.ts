import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { insertWaiting } from "../../../test/fixtures/deliveries.ts"
import { readStream } from "../../../test/fixtures/readStream.ts"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const create = (id: string) =>
  console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })

/** `columns` are SQL expressions. Returns the delivery's id. */
async function insert(channel: string, columns: Record<string, string>): Promise<string> {
  const names = Object.keys(columns)
  const [row] = await console.pool.sql<{ id: string }>(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, ${names.join(", ")})
     values (gen_random_uuid(), gen_random_uuid()::text, $1, '', '', 'c', ${Object.values(columns).join(", ")}) returning id`,
    [channel],
  )
  return row?.id ?? ""
}

test("a channel without pending deliveries is deleted with its secrets, and its deliveries stay readable", async () => {
  await create("idle")
  const delivery = await insert("idle", { state: "'delivered'" })
  const { sql } = console.pool
  await sql("insert into dispatcher (id) values ('a')")
  await sql("insert into channel_status values ('idle', 'a', now(), 20, 4, 1, 900)")
  await sql("insert into channel_rate values ('idle', 1, 1, now(), now())")
  const deleted = await console.call("DELETE", "/v1/channels/idle")
  expect(deleted.status).toBe(200)
  expect(
    await sql("select channel_id from channel_status union all select channel_id from channel_rate"),
  ).toEqual([])
  expect(deleted.json).toEqual({
    id: "idle",
    deleted: true,
    pending_deliveries: 0,
    outcome: "none",
    keys: [],
  })
  expect((await console.call("GET", "/v1/channels/idle")).status).toBe(404)
  expect((await console.call("GET", "/v1/channels/idle/health")).status).toBe(404)
  expect((await console.call("DELETE", "/v1/channels/idle")).status).toBe(404)
  expect((await console.call("GET", `/v1/deliveries/${delivery}`)).json).toMatchObject({ channel: "idle" })
  expect((await console.call("GET", "/v1/deliveries?channel=idle")).json.data).toHaveLength(1)
  const { json } = await console.call("GET", "/v1/audit?operation=deleteChannel")
  expect(json.data).toMatchObject([
    {
      target: { kind: "channel", id: "idle" },
      changes: {
        address: { old: "https://partner.example/", new: null },
        deleted: { old: false, new: true },
      },
    },
  ])
})

test.each([
  ["scheduled", "pending", { failures: "1", next_attempt_at: "now() + interval '1 hour'" }],
  ["deferred", "pending", { deferred_at: "now()", deferred_reason: "'busy'" }],
  ["resent", "delivered", { deferred_at: "now()", deferred_reason: "'resend'" }],
])(
  "while a delivery is %s, only a forced deletion succeeds, and it reports what happens",
  async (id, state, waiting) => {
    await create(id)
    await insertWaiting(console.pool.sql, await insert(id, { state: `'${state}'` }), waiting)
    const refused = await console.call("DELETE", `/v1/channels/${id}`)
    expect(refused).toMatchObject({ status: 409, json: { code: "deliveries-pending" } })
    expect(refused.json.detail).toContain("1 of its deliveries")
    expect((await console.call("DELETE", `/v1/channels/${id}?force=false`)).status).toBe(409)
    expect((await console.call("GET", `/v1/channels/${id}`)).status).toBe(200)
    const forced = await console.call("DELETE", `/v1/channels/${id}?force=true`)
    expect(forced.json).toEqual({ id, deleted: true, pending_deliveries: 1, outcome: "dead", keys: [] })
  },
)

test("the id of a deleted channel is not used again, also when its deliveries have ended", async () => {
  await create("left")
  const delivery = await insert("left", { state: "'dead'", dead_reason: "'channel_deleted'" })
  await console.call("DELETE", "/v1/channels/left")
  const again = await create("left")
  expect(again).toMatchObject({ status: 409, json: { code: "id-taken" } })
  expect(again.json.detail).toContain("not used again")
  expect((await console.call("GET", `/v1/deliveries/${delivery}`)).json.dead_reason).toBe("channel-deleted")
  const resent = await console.call("POST", `/v1/deliveries/${delivery}/resend`)
  expect(resent).toMatchObject({ status: 409, json: { code: "channel-deleted" } })
})

test("keys lose a deleted channel, and one without another scope is revoked", async () => {
  await create("gone")
  await create("stays")
  const [only, both, operator] = [
    await console.keyWith("channel:gone"),
    await console.keyWith("channel:gone", "channel:stays"),
    await console.keyWith("operate", "channel:gone"),
  ]
  const stream = await readStream(`${console.origin}/v1/stream`, both)
  onTestFinished(() => stream.close())
  await stream.next("heartbeat")
  const { json } = await console.call("DELETE", "/v1/channels/gone")
  const keys = json.keys as { revoked: boolean }[]
  expect(keys.map(({ revoked }) => revoked).toSorted()).toEqual([false, false, true])

  const get = async (id: string, key: string) =>
    (await console.call("GET", `/v1/channels/${id}`, { key })).status
  expect(await get("gone", only)).toBe(401)
  expect([await get("gone", both), await get("stays", both)]).toEqual([404, 200])
  expect(await get("stays", operator)).toBe(200)
  expect((await stream.next("end")).data).toEqual({ reason: "key-invalid" })

  const audit = await console.call("GET", "/v1/audit?operation=deleteChannel&target_kind=key")
  const entries = audit.json.data as { changes: object }[]
  expect(entries.map(({ changes }) => changes)).toEqual(
    expect.arrayContaining([
      { revoked_at: { old: null, new: expect.any(String) } },
      { scopes: { old: ["channel:gone", "channel:stays"], new: ["channel:stays"] } },
      { scopes: { old: ["operate", "channel:gone"], new: ["operate"] } },
    ]),
  )
})

test("of a resend and a deletion at the same time, the later one is refused", async () => {
  for (let round = 0; round < 8; round++) {
    const id = `race-${round}`
    await create(id)
    const delivery = await insert(id, { state: "'dead'" })
    const [resent, deleted] = await Promise.all([
      console.call("POST", `/v1/deliveries/${delivery}/resend`),
      console.call("DELETE", `/v1/channels/${id}`),
    ])
    expect([resent.status, deleted.status]).toSatisfy(
      ([resend, deletion]) => (resend === 202) !== (deletion === 200),
    )
  }
})

test("only an operator's key deletes a channel", async () => {
  await create("kept")
  for (const scope of ["read", "channel:kept"] as const)
    expect(
      (await console.call("DELETE", "/v1/channels/kept", { key: await console.keyWith(scope) })).status,
    ).toBe(403)
})
