import { hashConnectorToken, isConnectorToken } from "@sitewire/contracts"
import { sealContexts, unseal } from "@sitewire/database"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sealingKeys, startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const body = { site: "shop.example", source: "https://api.partner.example/items" }
const tokenOf = (triggerUrl: unknown) => String(triggerUrl).split("/").at(-2) ?? ""
const make = (id: string) => console.call("POST", "/v1/connections", { body: { ...body, id } })
const windowOf = (connection_id: string) => console.prisma.syncWindow.findUnique({ where: { connection_id } })

test("a connection is created with its window; its trigger URL contains a token whose hash is stored", async () => {
  const made = await make("feed")
  expect(made.status).toBe(201)
  expect(made.json).toMatchObject({ ...body, id: "feed", runner: "pull", state: "idle", next_sync_at: null })
  expect(made.json.trigger_url).toMatch(/^https:\/\/shop\.example\/connectors\/hook\/feed\/swt_[\w-]+\/$/)
  const token = tokenOf(made.json.trigger_url)
  expect(isConnectorToken(token)).toBe(true)
  const row = await console.prisma.connection.findUniqueOrThrow({ where: { id: "feed" } })
  expect(Buffer.from(row.token_sha256)).toEqual(hashConnectorToken(token))
  expect(Buffer.from(row.token_sealed).includes(token)).toBe(false)
  expect(await windowOf("feed")).toMatchObject({ requested: 0n, fence: 0n, running: false })
})

test("a taken id is a conflict, and no window exists without its connection", async () => {
  await make("taken")
  expect((await make("taken")).status).toBe(409)
  await console.pool.sql("insert into sync_window (connection_id) values ('alone')")
  expect(await windowOf("alone")).toBeNull()
  expect((await make("alone")).status).toBe(201)
  expect(await windowOf("alone")).not.toBeNull()
})

test("the trigger URL is in the response of its own resource, and in no list, other GET response or log line", async () => {
  const token = tokenOf((await make("shown")).json.trigger_url)
  const response = await console.call("GET", "/v1/connections/shown/trigger-url")
  expect(tokenOf(response.json.trigger_url)).toBe(token)
  const { trigger_url: _, ...shown } = response.json
  const read = await console.call("GET", "/v1/connections/shown")
  expect(read.json).toEqual(shown)
  const listed = await console.call("GET", "/v1/connections")
  expect(listed.json.data).toContainEqual(shown)
  for (const text of [read.text, listed.text, ...console.log]) {
    expect(text).not.toContain(token)
    expect(text).not.toContain("swt_")
  }
})

test("replacing a token leaves no trace of the old one", async () => {
  const old = tokenOf((await make("moved")).json.trigger_url)
  const before = await console.prisma.connection.findUniqueOrThrow({ where: { id: "moved" } })
  const replaced = await console.call("POST", "/v1/connections/moved/token")
  expect(replaced.status).toBe(200)
  const token = tokenOf(replaced.json.trigger_url)
  expect(token).not.toBe(old)
  expect(replaced.json.token_replaced_at).not.toBeNull()
  const after = await console.prisma.connection.findUniqueOrThrow({ where: { id: "moved" } })
  expect(Buffer.from(after.token_sha256)).toEqual(hashConnectorToken(token))
  expect(await console.prisma.connection.count({ where: { token_sha256: before.token_sha256 } })).toBe(0)
  const response = await console.call("GET", "/v1/connections/moved/trigger-url")
  expect(response.json).toEqual(replaced.json)
})

test("the signing secret is in the response that makes it, and in no other response, audit entry or log line", async () => {
  const opened = async () => {
    const { signing_secret_sealed } = await console.prisma.connection.findUniqueOrThrow({
      where: { id: "signed" },
    })
    return unseal(sealingKeys, sealContexts.connectionSecret("signed"), signing_secret_sealed)
  }
  const first = String((await make("signed")).json.signing_secret)
  expect(first).toMatch(/^sws_[\w-]{49}$/)
  expect(await opened()).toBe(first)
  const replaced = await console.call("POST", "/v1/connections/signed/signing-secret")
  expect(replaced).toMatchObject({ status: 200, json: { signing_secret_replaced_at: expect.any(String) } })
  const next = String(replaced.json.signing_secret)
  expect(next).not.toBe(first)
  expect(await opened()).toBe(next)
  const texts = [...console.log]
  const paths = [
    "/v1/connections/signed",
    "/v1/connections",
    "/v1/connections/signed/trigger-url",
    "/v1/audit",
  ]
  for (const path of paths) texts.push((await console.call("GET", path)).text)
  for (const text of texts) expect(text).not.toMatch(/sws_/)
  const other = await console.keyWith("site:elsewhere.example")
  expect((await console.call("POST", "/v1/connections/signed/signing-secret", { key: other })).status).toBe(
    404,
  )
})

test("an unknown connection is a 404 on every route", async () => {
  for (const [method, path] of [
    ["GET", "/v1/connections/none"],
    ["GET", "/v1/connections/none/trigger-url"],
    ["POST", "/v1/connections/none/token"],
    ["POST", "/v1/connections/none/signing-secret"],
    ["PATCH", "/v1/connections/none"],
    ["DELETE", "/v1/connections/none"],
    ["POST", "/v1/connections/none/sync"],
    ["GET", "/v1/syncs?connection=none"],
    ["GET", "/v1/connections/none/windows"],
    ["GET", "/v1/connections/none/snapshot"],
  ] as const) {
    const sent = method === "PATCH" ? { body: { runner: "pull" } } : {}
    expect((await console.call(method, path, sent)).status, path).toBe(404)
  }
})

test.each([
  ["site", { site: "https://shop.example" }],
  ["site", { site: "shop.example/path" }],
  ["source", { source: "https://10.0.0.1/items" }],
  ["source", { source: "ftp://partner.example/" }],
  ["source", { source: " https://partner.example/" }],
  ["source", { source: "https://@partner.example/" }],
  ["runner", { runner: "push" }],
])("an invalid %s is rejected by name: %o", async (field, wrong) => {
  const rejected = await console.call("POST", "/v1/connections", { body: { ...body, ...wrong } })
  expect(rejected.status).toBe(400)
  expect(rejected.json.errors).toEqual([{ field, message: expect.any(String) }])
})

test("an executor may have a private IP address that the operator allows, and a partner's source may not", async () => {
  const inside = { ...body, source: "http://10.20.0.9/sync" }
  const delegate = { ...inside, runner: "delegate" }
  expect((await console.call("POST", "/v1/connections", { body: delegate })).status).toBe(201)
  expect((await console.call("POST", "/v1/connections", { body: inside })).status).toBe(400)
  const elsewhere = { ...delegate, source: "http://10.21.0.9/sync" }
  expect((await console.call("POST", "/v1/connections", { body: elsewhere })).status).toBe(400)
})

test("only an operator may create or change a connection with an executor", async () => {
  const key = await console.keyWith("site:shop.example")
  const executor = { ...body, id: "executed", runner: "delegate", source: "http://10.20.0.9/sync" }
  const forbidden = { status: 403, json: { code: "missing-scope" } }
  expect(await console.call("POST", "/v1/connections", { body: executor, key })).toMatchObject(forbidden)
  expect((await console.call("POST", "/v1/connections", { body: executor })).status).toBe(201)
  await make("pulled")
  for (const [id, change] of [
    ["pulled", { runner: "delegate", source: "http://10.20.0.9/admin" }],
    ["executed", { source: "http://10.20.0.9/admin" }],
    ["executed", { runner: "pull", source: body.source }],
  ] as const)
    expect(await console.call("PATCH", `/v1/connections/${id}`, { body: change, key })).toMatchObject(
      forbidden,
    )
  const own = { body: { source: "https://api.partner.example/other" }, key }
  expect((await console.call("PATCH", "/v1/connections/pulled", own)).status).toBe(200)
})

test("the state follows the window: waiting, running, failing, idle", async () => {
  await make("states")
  const due = new Date("2026-01-01T00:01:00.000Z")
  const read = async (data: object) => {
    await console.prisma.syncWindow.update({ where: { connection_id: "states" }, data })
    const { state, next_sync_at, last_error } = (await console.call("GET", "/v1/connections/states")).json
    return { state, next_sync_at, last_error }
  }
  const next_sync_at = due.toISOString()
  expect(await read({ due_at: due })).toEqual({ state: "waiting", next_sync_at, last_error: null })
  expect(await read({ running: true })).toEqual({ state: "running", next_sync_at: null, last_error: null })
  const failed = { running: false, failures: 1, last_error: "timeout", failing_since: due }
  expect(await read(failed)).toEqual({ state: "failing", next_sync_at, last_error: "timeout" })
  // As after a trigger, which ends the wait of the retry.
  expect(await read({ failures: 0 })).toEqual({ state: "failing", next_sync_at, last_error: "timeout" })
  expect(await read({ running: true })).toMatchObject({ state: "failing" })
  expect(await read({ running: false, failing_since: null, last_error: null, due_at: null })).toMatchObject({
    state: "idle",
  })
})

test("GATEWAY_ORIGIN replaces the site's host in trigger URLs", async () => {
  const local = await startConsole({ gatewayOrigin: "http://127.0.0.1:8080" })
  const made = await local.call("POST", "/v1/connections", { body: { ...body, id: "feed" } })
  expect(made.json.trigger_url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/connectors\/hook\/feed\/swt_/)
  await local.close()
})
