import { createHash, createHmac } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

const email = "owner@shop.example"
// The reference and the name contain the address, too, and the bytes are not what JSON.stringify would write.
const body = Buffer.from(
  `{ "event":"site.ready","reference":"${email}","name":"Söhne \\u0000 <${email}>","email":"${email}"}\n`,
)
const ids = ["01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"] as const

let console: TestConsole
let secret: string
beforeAll(async () => {
  console = await startConsole()
  const channel = { id: "acme", address: "https://partner.example/" }
  const made = await console.call("POST", "/v1/channels", { body: channel })
  expect(made.status).toBe(201)
  secret = String(made.json.signing_secret)
  for (const [at, id] of ids.entries()) {
    const content = at === 0 ? body : Buffer.alloc(0)
    await console.prisma.delivery.create({
      data: {
        id,
        event_id: id,
        channel_id: "acme",
        state: at === 0 ? "delivered" : "erased",
        body: new Uint8Array(content),
        body_sha256: new Uint8Array(at === 0 ? createHash("sha256").update(content).digest() : []),
        correlation: "c",
      },
    })
  }
})
afterAll(() => console.close())

test("a delivery shows its body with every e-mail address masked", async () => {
  const { json, text } = await console.call("GET", `/v1/deliveries/${ids[0]}`)
  expect(text).not.toContain(email)
  expect(json).toMatchObject({
    body: {
      event: "site.ready",
      reference: "o***@shop.example",
      name: "Söhne \u0000 <***@shop.example>",
      email: "o***@shop.example",
    },
  })
  // With the length of the body, somebody who knows its other fields would know that of the address.
  const length = json.body_bytes as number
  expect([length % 64, length >= body.length, length < body.length + 64]).toEqual([0, true, true])
  // With the digest of the body, somebody who knows its other fields could confirm a guess of the address.
  for (const path of ["/v1/deliveries", `/v1/deliveries/${ids[0]}`])
    expect((await console.call("GET", path)).text).not.toContain(
      createHash("sha256").update(body).digest("hex"),
    )
  expect((await console.call("GET", `/v1/deliveries/${ids[1]}`)).json).toMatchObject({
    body: null,
    body_bytes: 0,
  })
})

test("the full body is revealed exactly as it is sent, and the audit log shows who read it, without the body", async () => {
  const key = await console.keyWith("channel:acme")
  const revealed = await console.call("GET", `/v1/deliveries/${ids[0]}/body`, { key })
  expect(revealed.status).toBe(200)
  expect(Buffer.from(revealed.json.body as string)).toEqual(body)
  expect(revealed.json.body_sha256).toBe(createHash("sha256").update(body).digest("hex"))
  const audit = await console.call("GET", `/v1/audit?target_kind=delivery&target=${ids[0]}`)
  expect(audit.json.data).toMatchObject([{ operation: "revealDelivery", key: { name: "test" }, changes: {} }])
  expect(audit.text + console.log.join("")).not.toContain(email)
})

test("a body is revealed neither to readers, nor to other channels, nor after an erasure", async () => {
  const path = `/v1/deliveries/${ids[0]}/body`
  const status = async (scope: string) =>
    (await console.call("GET", path, { key: await console.keyWith(scope) })).status
  expect(await status("read")).toBe(403)
  expect(await status("channel:other")).toBe(404)
  const erased = await console.call("GET", `/v1/deliveries/${ids[1]}/body`)
  expect(erased).toMatchObject({ status: 409, json: { code: "erased" } })
})

test("a partner's response that repeats the body is shown with e-mail addresses masked", async () => {
  await console.prisma.attempt.create({
    data: {
      delivery_id: ids[0],
      number: 1,
      started_at: new Date(),
      duration_ms: 1,
      status: 302,
      error: "status",
      detail: `redirects to https://partner.example/?for=${email}`,
      secret_id: "s",
      response_excerpt: new Uint8Array(Buffer.from(`invalid: ${email}`)),
    },
  })
  const { text } = await console.call("GET", `/v1/deliveries/${ids[0]}`)
  expect(text).not.toContain(email)
  expect(text).toContain("invalid: o***@shop.example")
})

/** As a dispatcher stores the headers of an attempt. */
const storeAttempt = (number: number, headers: string) =>
  console.prisma.attempt.create({
    data: {
      delivery_id: ids[0],
      number,
      started_at: new Date(),
      duration_ms: 1,
      secret_id: "s",
      request_headers: headers,
    },
  })

const shorten = (text: string) => text.replace(/([=,])(\S{8})\S*/g, "$1$2…")
const headersFor = async (scope: string) => {
  const key = await console.keyWith(...scope.split(" "))
  return (await console.call("GET", `/v1/deliveries/${ids[0]}/body`, { key })).json.request_headers
}

test("a key that may resend it gets the newest attempt's headers as they were sent, and no other key does", async () => {
  const hex = createHmac("sha256", secret).update(body).digest("hex")
  const signed = createHmac("sha256", secret).update(`${ids[0]}.1772366400.`).update(body).digest("base64")
  const sent = {
    "content-type": "application/json",
    "X-Sitewire-Signature": `sha256=${hex}`,
    "webhook-id": ids[0],
    "webhook-timestamp": "1772366400",
    "webhook-signature": `v1,${signed}`,
  }
  const shown = Object.entries({
    authorization: "…",
    ...sent,
    "X-Sitewire-Signature": shorten(sent["X-Sitewire-Signature"]),
    "webhook-signature": shorten(sent["webhook-signature"]),
  })
  await storeAttempt(2, shown.map(([name, value]) => `${name}: ${value}\n`).join(""))
  expect(await headersFor("channel:acme")).toEqual(sent)
  expect(await headersFor("operate personal-data")).toEqual(sent)
  expect(await headersFor("personal-data admin channel:other")).toBeNull()
  // During a rotation, each signature is made by the secret that made it, whichever is active.
  for (const step of ["stage", "activate"])
    await console.call("POST", `/v1/channels/acme/secret/${step}?force=true`)
  expect(await headersFor("channel:acme")).toEqual(sent)
  await console.call("POST", "/v1/channels/acme/secret/retire")
  expect(await headersFor("channel:acme")).toBeNull()
})
