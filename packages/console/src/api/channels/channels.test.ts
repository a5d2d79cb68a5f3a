import { sealContexts, unseal } from "@sitewire/database"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sealingKeys, startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

test("a channel is created; its signing secret is shown once and stored sealed", async () => {
  const body = { id: "acme", address: "https://partner.example/hooks?x=1" }
  const made = await console.call("POST", "/v1/channels", { body })
  expect(made.status).toBe(201)
  expect(made.headers.get("location")).toBe("/v1/channels/acme")
  expect(made.json).toMatchObject(body)
  const secret = String(made.json.signing_secret)
  expect(secret).toMatch(/^sws_[\w-]{49}$/)

  const row = await console.prisma.channel.findUniqueOrThrow({ where: { id: "acme" } })
  expect(Buffer.from(row.secret_sealed).includes(secret)).toBe(false)
  expect(unseal(sealingKeys, sealContexts.signingSecret("acme", row.secret_id), row.secret_sealed)).toBe(
    secret,
  )

  const read = await console.call("GET", "/v1/channels/acme")
  const listed = await console.call("GET", "/v1/channels")
  const { signing_secret: _, standard_webhooks_secret: whsec, ...shown } = made.json
  expect(read.json).toEqual(shown)
  expect(listed.json.data).toContainEqual(expect.objectContaining(shown))
  for (const text of [read.text, listed.text, ...console.log]) {
    for (const form of [secret, String(whsec)]) expect(text).not.toContain(form)
  }
})

test("a channel without an id gets a generated one", async () => {
  const made = await console.call("POST", "/v1/channels", { body: { address: "https://partner.example/" } })
  expect(made.status).toBe(201)
  expect((await console.call("GET", `/v1/channels/${made.json.id}`)).status).toBe(200)
})

test("a taken id is a 409 and changes nothing", async () => {
  await console.call("POST", "/v1/channels", { body: { id: "twice", address: "https://one.example/" } })
  const again = await console.call("POST", "/v1/channels", {
    body: { id: "twice", address: "https://two.example/" },
  })
  expect(again.status).toBe(409)
  expect((await console.call("GET", "/v1/channels/twice")).json.address).toBe("https://one.example/")
})

test("an address can be changed; an unknown channel is a 404", async () => {
  await console.call("POST", "/v1/channels", { body: { id: "moves", address: "https://old.example/" } })
  const body = { address: "https://NEW.example" }
  const changed = await console.call("PATCH", "/v1/channels/moves", { body })
  expect(changed.status).toBe(200)
  expect(changed.json.address).toBe("https://new.example/")
  expect((await console.call("GET", "/v1/channels/moves")).json).toEqual(changed.json)
  expect((await console.call("PATCH", "/v1/channels/none", { body })).status).toBe(404)
  expect((await console.call("GET", "/v1/channels/none")).status).toBe(404)
})

test.each([
  ["http://partner.example/", /https/],
  ["https://127.0.0.1/hook", /not a public address/],
  ["https://2130706433/hook", /not a public address/],
  ["https://user:pass@partner.example/", /user name or password/],
  ["https:////partner.example/", /http or https URL/],
  ["not an address", /URL/],
])("the address %s is rejected by name, in a new channel and in a change", async (address, why) => {
  await console.call("POST", "/v1/channels", { body: { id: "vetted", address: "https://old.example/" } })
  for (const [method, path] of [
    ["POST", "/v1/channels"],
    ["PATCH", "/v1/channels/vetted"],
  ] as const) {
    const rejected = await console.call(method, path, { body: { address } })
    expect(rejected.status).toBe(400)
    expect(rejected.json.errors).toEqual([{ field: "address", message: expect.stringMatching(why) }])
  }
  expect((await console.call("GET", "/v1/channels/vetted")).json.address).toBe("https://old.example/")
})

test("a partner gets no traceparent unless it is switched on, and a rotation of the secret changes nothing", async () => {
  const body = { id: "traced", address: "https://partner.example/" }
  expect((await console.call("POST", "/v1/channels", { body })).json.send_traceparent).toBe(false)
  const call = (method: string, path: string, of?: object) =>
    console.call(method, `/v1/channels/traced${path}`, of ? { body: of } : {})
  expect((await call("PATCH", "", { send_traceparent: true })).json.send_traceparent).toBe(true)
  await call("POST", "/secret/stage")
  expect((await call("POST", "/secret/activate")).json).toMatchObject({
    send_traceparent: true,
    other_secret: { state: "retiring" },
  })
  expect((await call("PATCH", "", { send_traceparent: "on" })).status).toBe(400)
})

test("a maximum rate is set at the creation, changed and removed", async () => {
  const body = { id: "limited", address: "https://partner.example/", max_per_second: 10 }
  expect((await console.call("POST", "/v1/channels", { body })).json.max_per_second).toBe(10)
  const change = (max_per_second: unknown) =>
    console.call("PATCH", "/v1/channels/limited", { body: { max_per_second } })
  expect((await change(2)).json.max_per_second).toBe(2)
  expect((await change(null)).json.max_per_second).toBeNull()
  for (const invalid of [0, 1_001, 1.5, "2"]) expect((await change(invalid)).status).toBe(400)
})
