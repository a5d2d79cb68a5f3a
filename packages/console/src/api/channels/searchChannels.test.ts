import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  const { sql } = console.pool
  await sql(`insert into channel (id, address, secret_id, secret_sealed, paused_at, created_at, updated_at) values
    ('acme', 'https://hooks.partner.example:8443/token-acme', 's', '', null, now() - interval '5 hours', now()),
    ('Acme-2', 'https://other.example/', 's', '', now(), now() - interval '4 hours', now()),
    ('breaker', 'https://one.example/100%25', 's', '', null, now() - interval '3 hours', now()),
    ('retried', 'https://two.example/', 's', '', now(), now() - interval '2 hours', now()),
    ('once', 'https://three.example/', 's', '', null, now() - interval '1 hours', now())`)
  await sql(`insert into channel_failure (channel_id, since, failures, last_failed_at, last_error, ended_at) values
    ('retried', now(), 3, now(), 'timeout', null), ('breaker', now(), 3, now(), 'timeout', null),
    ('acme', now(), 3, now(), 'timeout', now()), ('once', now(), 2, now(), 'timeout', null)`)
  await sql(`with stored as (
      insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, attempts) values
        (gen_random_uuid(), 'e1', 'retried', '', '', 'c', 3), (gen_random_uuid(), 'e2', 'once', '', '', 'c', 1) returning *
    )
    insert into waiting_delivery (delivery_id, channel_id, attempts, failures, next_attempt_at)
    select id, channel_id, attempts, attempts, now() from stored`)
})
afterAll(() => console.close())

async function found(query: string, key = console.key): Promise<unknown[]> {
  const { status, json } = await console.call("GET", `/v1/channels?${query}`, { key })
  expect(status).toBe(200)
  return (json.data as { id: string }[]).map(({ id }) => id)
}

test("channels are found by id and by the address's host, but not by what else the address contains", async () => {
  expect(await found("q=ACME")).toEqual(["Acme-2", "acme"])
  expect(await found("q=partner.example")).toEqual(["acme"])
  expect(await found("q=8443")).toEqual(["acme"])
  expect(await found("q=token")).toEqual([])
  expect(await found("q=https")).toEqual([])
  expect(await found("q=%25")).toEqual([])
  expect(await found("q=_")).toEqual([])
})

test("channels are found by their pause and their health, and a dispatcher that died does not count", async () => {
  expect(await found("paused=true")).toEqual(["retried", "Acme-2"])
  expect(await found("paused=false")).toEqual(["once", "breaker", "acme"])
  expect(await found("health=failing")).toEqual(["retried", "breaker"])
  expect(await found("health=ok")).toEqual(["once", "Acme-2", "acme"])
  expect(await found("health=failing&paused=true")).toEqual(["retried"])
  expect((await console.call("GET", "/v1/channels?paused=yes")).status).toBe(400)
})

test("a channel is failing, however many older deliveries wait that have not failed", async () => {
  await console.pool.sql(`insert into waiting_delivery (delivery_id, channel_id, attempts, failures, deferred_at, deferred_reason)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'retried', 3, 0, now(), 'resend' from generate_series(1, 1100) as n`)
  const { json } = await console.call("GET", "/v1/channels?health=failing&paused=true")
  expect(json.data).toMatchObject([{ id: "retried", health: "failing" }])
  expect((await console.call("GET", "/v1/channels/retried/health")).json).toMatchObject({ health: "failing" })
})

test("a search has pages, and a partner's key finds its own channels only", async () => {
  const first = await console.call("GET", "/v1/channels?paused=false&limit=2")
  expect(first.json.data).toMatchObject([{ id: "once" }, { id: "breaker" }])
  expect(await found(`paused=false&limit=2&cursor=${first.json.next_cursor}`)).toEqual(["acme"])
  const partner = await console.keyWith("channel:acme")
  expect(await found("q=acme", partner)).toEqual(["acme"])
  expect(await found("health=failing", partner)).toEqual([])
})
