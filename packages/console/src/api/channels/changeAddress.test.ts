import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  // A dispatcher that has sent the challenge at once.
  await console.pool.sql(`
    create function answer() returns trigger language plpgsql as $$ begin
      if new.address not like '%unclaimed%' then
        new.state = 'done'; new.report = '{"status": 204, "error": null}';
        new.finished_at = now() - case when new.address like '%late%' then interval '16 minutes' else interval '0' end;
      end if;
      return new;
    end $$`)
  await console.pool.sql(
    "create trigger answer before insert on receiver_check for each row execute function answer()",
  )
})
afterAll(() => console.close())

const first = "https://partner.example/hook"

/** A channel whose partner may change its address, with the key of that partner. */
async function channel(id: string, more: object = {}): Promise<string> {
  const body = { id, address: first, partner_may_change_address: true, ...more }
  expect((await console.call("POST", "/v1/channels", { body })).status).toBe(201)
  return console.keyWith(`channel:${id}`)
}

const change = (id: string, address: string, options: object = {}) =>
  console.call("POST", `/v1/channels/${id}/change-address`, { body: { address }, ...options })
const addressOf = async (id: string) => (await console.call("GET", `/v1/channels/${id}`)).json.address

test("a repeated Idempotency-Key changes the address once, and never back", async () => {
  const key = await channel("repeated")
  const repeat = { key, headers: { "idempotency-key": "one" } }
  const second = "https://second.example/"
  for (let count = 0; count < 2; count++)
    expect(await change("repeated", second, repeat)).toMatchObject({ status: 200, json: { address: second } })
  await change("repeated", "https://third.example/", { key })
  expect(await change("repeated", second, repeat)).toMatchObject({
    status: 409,
    json: { code: "address-not-confirmed" },
  })
  expect(await addressOf("repeated")).toBe("https://third.example/")
  const changes = await console.pool.sql(
    "select from audit_entry where operation = 'changeAddress' and target_id = 'repeated' and changes ? 'address'",
  )
  expect(changes).toHaveLength(2)
  expect(await console.prisma.receiverCheck.count({ where: { channel_id: "repeated" } })).toBe(2)
})

test("a challenge that was answered long ago allows nothing", async () => {
  const key = await channel("outdated")
  const late = await change("outdated", "https://late.example/", { key })
  expect(late).toMatchObject({ status: 409, json: { code: "address-not-confirmed" } })
  expect(await addressOf("outdated")).toBe(first)
})

test("a channel's address is changed 5 times in a minute and 50 in a day at most", async () => {
  const key = await channel("limited")
  const age = (by: string) =>
    console.pool.sql(`update receiver_check set created_at = created_at - interval '${by}'`)
  for (let count = 0; count < 5; count++)
    expect((await change("limited", `https://partner.example/${count}`, { key })).status).toBe(200)
  const rejected = await change("limited", "https://partner.example/x", { key })
  expect(rejected).toMatchObject({ status: 429, json: { code: "too-many-address-changes" } })
  expect(Number(rejected.headers.get("retry-after"))).toBeLessThanOrEqual(60)
  await age("1 minute")
  expect((await change("limited", "https://partner.example/6", { key })).status).toBe(200)
  await console.pool.sql(
    `insert into receiver_check (id, channel_id, kind, address, requested_by, created_at)
     select 'adr_' || n, 'limited', 'address_change', 'https://partner.example/', 'k', now() - interval '23 hours'
       from generate_series(1, 44) n`,
  )
  expect((await change("limited", "https://partner.example/y", { key })).status).toBe(429)
  await age("2 hours")
  expect((await change("limited", "https://partner.example/z", { key })).status).toBe(200)
})

test("one change of a channel runs at a time, and without a dispatcher nothing changes", async () => {
  const key = await channel("alone")
  const waiting = change("alone", "https://unclaimed.example/", { key })
  const stored = () => console.prisma.receiverCheck.count({ where: { channel_id: "alone" } })
  await waitUntil("the change", async () => (await stored()) === 1)
  expect(await change("alone", "https://second.example/", { key })).toMatchObject({
    status: 409,
    json: { code: "check-running" },
  })
  expect(await waiting).toMatchObject({ status: 503, json: { code: "test-not-sent" } })
  expect(await addressOf("alone")).toBe(first)
})

test.each([
  ["http://partner.example/", "the scheme must be https"],
  ["https://10.20.0.1/", "is not a public address"],
  ["https://localhost/", "is not a public address"],
  ["https://[::ffff:127.0.0.1]/", "not a public address"],
])("the address %s is rejected, and nothing is sent", async (address, message) => {
  const id = `rejected-${address.replaceAll(/\W/g, "-")}`
  const key = await channel(id)
  const { status, text } = await change(id, address, { key })
  expect(status).toBe(400)
  expect(text).toContain(message)
  expect(await console.prisma.receiverCheck.count({ where: { channel_id: id } })).toBe(0)
})

test("request headers are never sent to another origin than that for which they were given", async () => {
  const request_headers = [{ name: "authorization", value: "Bearer marked" }]
  const key = await channel("gateway", { request_headers })
  const rejected = await change("gateway", "https://other.example/", { key })
  expect(rejected).toMatchObject({ status: 400, json: { code: "invalid-request" } })
  expect(rejected.text).toContain("request headers")
  expect((await change("gateway", "https://partner.example/v2", { key })).status).toBe(200)
})

test("only operators let a partner change the address, and only of a channel at a public one", async () => {
  const key = await channel("own", { partner_may_change_address: false })
  const body = { partner_may_change_address: true }
  const patch = (options: object) => console.call("PATCH", "/v1/channels/own", options)
  expect(await patch({ key, body })).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  await console.pool.sql("update channel set address = 'https://10.0.0.1/' where id = 'own'")
  expect((await patch({ body })).status).toBe(400)
  const moved = await patch({ body: { ...body, address: first } })
  expect(moved).toMatchObject({ status: 200, json: { partner_may_change_address: true, address: first } })
  expect((await change("own", "https://second.example/", { key })).status).toBe(200)
})
