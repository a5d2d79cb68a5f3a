import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const contact = "Hooks@partner.example"
const masked = "H***@partner.example"
const address = "https://partner.example/hook"
const create = (id: string, body: object = {}) =>
  console.call("POST", "/v1/channels", {
    body: { id, address, ...body },
    headers: { "idempotency-key": `create-${id}` },
  })
const change = (id: string, body: object, key = console.key, headers: Record<string, string> = {}) =>
  console.call("PATCH", `/v1/channels/${id}`, { body, key, headers })
const read = (id: string, key = console.key) => console.call("GET", `/v1/channels/${id}`, { key })

/** Every value that is stored but the contact itself. */
async function everythingElse(): Promise<string> {
  const tables = ["channel", "audit_entry", "idempotency_record", "mail_recipient"]
  const rows = await Promise.all(tables.map((table) => console.pool.sql(`select * from ${table}`)))
  return JSON.stringify(rows)
}

test("the contact is whole for personal-data and the channel's own key only, and nowhere in the log and the audit log", async () => {
  expect((await create("acme", { contact })).json).toMatchObject({ contact: masked })
  const own = await console.keyWith("channel:acme")
  const both = await console.keyWith("read", "personal-data")
  const others = [await console.keyWith("read"), await console.keyWith("operate")]
  for (const key of [own, both, console.key])
    expect((await read("acme", key)).json).toMatchObject({ contact })
  for (const key of others) expect((await read("acme", key)).json).toMatchObject({ contact: masked })
  for (const key of [own, both]) {
    const { json } = await console.call("GET", "/v1/channels", { key })
    expect(json.data).toMatchObject([{ contact: masked }])
  }
  // Responses that are stored for a repeated request.
  for (const action of ["pause", "resume", "secret/stage", "secret/activate"]) {
    const headers = { "idempotency-key": action }
    const { json } = await console.call("POST", `/v1/channels/acme/${action}`, { headers })
    expect(json).toMatchObject({ contact: masked })
  }
  expect((await change("acme", { contact: "other@partner.example" })).json).toMatchObject({
    contact: "other@partner.example",
  })
  expect((await change("acme", { contact: null })).json).toMatchObject({ contact: null })
  const entries = await console.pool.sql(
    "select operation, changes -> 'contact' as contact from audit_entry where changes ? 'contact' order by created_at",
  )
  const set = "an e-mail address"
  expect(entries).toEqual([
    { operation: "createChannel", contact: { old: null, new: set } },
    { operation: "changeChannel", contact: { old: set, new: set } },
    { operation: "changeChannel", contact: { old: set, new: null } },
  ])
  const stored = (await everythingElse()) + console.log.join("") + (await console.metrics.metrics())
  expect(stored).not.toMatch(/hooks@|other@/i)
})

test("a channel's key sets the contact of its own channel, and of no other", async () => {
  await create("own")
  await create("foreign")
  const key = await console.keyWith("channel:own")
  expect(await change("own", { contact }, key)).toMatchObject({ status: 200, json: { contact } })
  expect((await change("foreign", { contact }, key)).status).toBe(404)
  expect((await read("foreign")).json).toMatchObject({ contact: null })
})

test("the ETag that each key reads fits its next change, and a change of the contact changes it", async () => {
  await create("etags", { contact })
  for (const key of [console.key, await console.keyWith("operate")]) {
    const ifMatch = { "if-match": (await read("etags", key)).headers.get("etag") ?? "" }
    // The mask is the same.
    const changed = await change("etags", { contact: "Hotel@partner.example" }, key, ifMatch)
    expect(changed.status).toBe(200)
    expect((await change("etags", { contact }, key, ifMatch)).status).toBe(412)
    expect((await read("etags", key)).headers.get("etag")).toBe(changed.headers.get("etag"))
  }
})

test("another address has been told nothing, and the same one what it was told", async () => {
  await create("told", { contact })
  const toldAt = async () =>
    (await console.pool.sql("select told_dead_at as at from channel_contact where channel_id = 'told'"))[0]
      ?.at
  await console.pool.sql("update channel_contact set told_dead_at = now()")
  await change("told", { contact })
  expect(await toldAt()).toBeInstanceOf(Date)
  await change("told", { contact: "other@partner.example" })
  expect(await toldAt()).toBeNull()
})

test.each([
  "no address",
  "a@b.example\r\nBcc: c@d.example",
  "a@b.example, c@d.example",
  '"a b"@c.example',
  "Name <a@b.example>",
  `${"a".repeat(250)}@b.example`,
])("%j is no contact", async (invalid) => {
  const { status, text } = await create("invalid", { contact: invalid })
  expect(status).toBe(400)
  expect(text).toMatch(/contact must (be one e-mail address|have at most 254 characters)/)
  expect(text).not.toContain("b.example")
})

test("without a mail server, a contact is rejected with the reason, and removing one is not", async () => {
  await using silent = Object.assign(await startConsole({ sendsMail: false }), {
    [Symbol.asyncDispose]: () => silent.close(),
  })
  const body = { id: "acme", address, contact }
  const rejected = await silent.call("POST", "/v1/channels", { body })
  expect(rejected).toMatchObject({ status: 400 })
  expect(rejected.text).toContain("no e-mail is sent, because SMTP_URL of the console is not set")
  expect((await silent.call("POST", "/v1/channels", { body: { ...body, contact: null } })).status).toBe(201)
  expect((await silent.call("PATCH", "/v1/channels/acme", { body: { contact } })).status).toBe(400)
  expect((await silent.call("PATCH", "/v1/channels/acme", { body: { contact: null } })).status).toBe(200)
})
