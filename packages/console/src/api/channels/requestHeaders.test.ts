import { sealContexts, unseal } from "@sitewire/database"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sealingKeys, startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const address = "https://gateway.example/sitewire"
const header = (name: string, value: string) => ({ name, value })

async function make(id: string, request_headers: object[]) {
  const made = await console.call("POST", "/v1/channels", { body: { id, address, request_headers } })
  expect(made.status).toBe(201)
  return made
}

const change = (id: string, body: object, options = {}) =>
  console.call("PATCH", `/v1/channels/${id}`, { body, ...options })

async function stored(id: string): Promise<object | null> {
  const row = await console.prisma.channel.findUniqueOrThrow({ where: { id } })
  const sealed = row.request_headers_sealed
  return sealed && JSON.parse(unseal(sealingKeys, sealContexts.receiverHeaders(id), sealed))
}

test("a channel's request headers are stored encrypted, and responses, lists, audit and log contain their names only", async () => {
  const made = await make("sealed", [
    header("Authorization", "Bearer marked-1"),
    header("X-Team", "marked-2"),
  ])
  expect(made.json.request_header_names).toEqual(["authorization", "x-team"])
  expect(await stored("sealed")).toEqual({ authorization: "Bearer marked-1", "x-team": "marked-2" })
  const key = await console.keyWith("channel:sealed")
  const request_headers = [header("Authorization", "Bearer marked-3")]
  const changed = await change("sealed", { request_headers }, { key })
  expect(changed.json.request_header_names).toEqual(["authorization"])
  expect(await stored("sealed")).toEqual({ authorization: "Bearer marked-3" })
  const activated = await Promise.all(
    ["stage", "activate"].map((step) => console.call("POST", `/v1/channels/sealed/secret/${step}`)),
  )
  const ours = [header("X-Sitewire-Attempt", "marked-4"), header("X-Sitewire-Challenge", "marked-5")]
  const rejected = await change("sealed", { request_headers: ours })
  const fields = ours.map((_, at) => ({ field: `request_headers.${at}.name` }))
  expect(rejected).toMatchObject({ status: 400, json: { errors: fields } })
  const texts = [made, changed, ...activated, rejected].map(({ text }) => text)
  for (const path of ["/v1/channels/sealed", "/v1/channels", "/v1/channels/sealed/health", "/v1/audit"])
    texts.push((await console.call("GET", path)).text)
  const rows = await console.pool.sql("select c::text, a::text from channel c, audit_entry a")
  for (const text of [...texts, JSON.stringify(rows), ...console.log]) expect(text).not.toContain("marked")
  const [audit] = await console.prisma.auditEntry.findMany({
    where: { target_id: "sealed", operation: "changeChannel" },
  })
  expect(audit?.changes).toMatchObject({
    request_header_names: { old: ["authorization", "x-team"], new: ["authorization"] },
    request_headers_changed_at: { new: changed.json.request_headers_changed_at },
  })
})

test("a channel's request headers are not sent to another scheme, host or port than the one they were given for", async () => {
  const given = { authorization: "Bearer first" }
  await make("bound", [header("authorization", "Bearer first")])
  const elsewhere = "https://attacker.example/"
  for (const address of [elsewhere, "https://gateway.example:8443/sitewire"])
    expect(await change("bound", { address })).toMatchObject({
      status: 400,
      json: { errors: [{ field: "request_headers" }] },
    })
  expect((await change("bound", { address: "https://gateway.example/v2" })).status).toBe(200)
  expect(await stored("bound")).toEqual(given)
  expect((await change("bound", { address: elsewhere, request_headers: [] })).status).toBe(200)
  expect(await stored("bound")).toBeNull()
})
