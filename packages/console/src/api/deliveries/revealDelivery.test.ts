import { createHash } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"
import { maskEmails } from "./maskEmails.ts"

const email = "owner@shop.example"
// The reference and the name contain the address, too, and the bytes are not what JSON.stringify would write.
const body = Buffer.from(
  `{ "event":"site.ready","reference":"${email}","name":"Söhne \\u0000 <${email}>","email":"${email}"}\n`,
)
const ids = ["01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"] as const

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  const channel = { id: "acme", address: "https://partner.example/" }
  expect((await console.call("POST", "/v1/channels", { body: channel })).status).toBe(201)
  for (const [at, id] of ids.entries()) {
    const content = at === 0 ? body : Buffer.alloc(0)
    await console.prisma.delivery.create({
      data: {
        id,
        eventId: id,
        channelId: "acme",
        state: at === 0 ? "delivered" : "erased",
        body: new Uint8Array(content),
        bodySha256: new Uint8Array(at === 0 ? createHash("sha256").update(content).digest() : []),
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
    body_bytes: body.length,
    body_sha256: createHash("sha256").update(body).digest("hex"),
  })
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
      deliveryId: ids[0],
      number: 1,
      startedAt: new Date(),
      durationMs: 1,
      status: 302,
      error: "status",
      detail: `redirects to https://partner.example/?for=${email}`,
      secretId: "s",
      responseExcerpt: new Uint8Array(Buffer.from(`invalid: ${email}`)),
    },
  })
  const { text } = await console.call("GET", `/v1/deliveries/${ids[0]}`)
  expect(text).not.toContain(email)
  expect(text).toContain("invalid: o***@shop.example")
})

test("a new channel with the id of a deleted one does not see its deliveries, and operators do", async () => {
  const recreated = await console.prisma.channel.update({
    where: { id: "acme" },
    data: { createdAt: new Date(Date.now() + 1_000) },
  })
  const key = await console.keyWith("channel:acme")
  const paths = [`/v1/deliveries/${ids[0]}`, `/v1/deliveries/${ids[0]}/body`]
  for (const path of paths) expect((await console.call("GET", path, { key })).status).toBe(404)
  const resent = await console.call("POST", `/v1/deliveries/${ids[0]}/resend`, { key })
  expect(resent.status).toBe(404)
  expect((await console.call("GET", "/v1/deliveries", { key })).json.data).toEqual([])
  expect((await console.call("GET", "/v1/deliveries?channel=acme")).json.data).toHaveLength(2)
  await console.prisma.channel.update({
    where: { id: "acme" },
    data: { createdAt: new Date(recreated.createdAt.getTime() - 60_000) },
  })
  expect((await console.call("GET", "/v1/deliveries", { key })).json.data).toHaveLength(2)
})

test.each([
  ["o@x.example", "o***@x.example"],
  ["a,b:c/d=e@x.example", "a***@x.example"],
  ["ünï.cödé+tag@bücher.example and b@c.example", "ü***@bücher.example and b***@c.example"],
  ["https://user:password@shop.example/?mail=a@b.example", "h***@shop.example/***@b.example"],
  ["@handle, 5 @ 3", "@handle, 5 @ 3"],
])("%s is masked as %s", (text, masked) => {
  expect(maskEmails(text)).toBe(masked)
})
