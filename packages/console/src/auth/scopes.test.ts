import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { routes } from "../api/routes.ts"

let console: TestConsole
const deliveryIds = {
  acme: "01900000-0000-7000-8000-000000000001",
  other: "01900000-0000-7000-8000-000000000002",
  unknown: "01900000-0000-7000-8000-000000000003",
}

beforeAll(async () => {
  console = await startConsole()
  for (const channel of ["acme", "other"] as const) {
    await console.call("POST", "/v1/channels", {
      body: { id: channel, address: "https://partner.example/" },
    })
    await console.prisma.delivery.create({
      data: {
        id: deliveryIds[channel],
        eventId: channel,
        channelId: channel,
        body: new Uint8Array(),
        bodySha256: new Uint8Array(),
        correlation: "c",
      },
    })
    await console.call("POST", "/v1/connections", {
      body: { id: channel, site: `${channel}.example`, source: "https://source.example/" },
    })
  }
})
afterAll(() => console.close())

const idOf = (path: string, name: keyof typeof deliveryIds) =>
  path.replace("{id}", path.startsWith("/v1/deliveries") ? deliveryIds[name] : name)

test("what a key may not see gets the same response as what does not exist, in every route", async () => {
  const partner = await console.keyWith("channel:acme")
  const owner = await console.keyWith("site:acme.example")
  let compared = 0
  for (const route of routes) {
    const scope = (["channel", "site"] as const).find(
      (one) => route.allow !== "anyone" && route.allow.includes(one),
    )
    if (!scope || !route.path.includes("{id}")) continue
    const key = scope === "channel" ? partner : owner
    const method = route.method.toUpperCase()
    const body =
      route.method === "patch"
        ? { [scope === "channel" ? "address" : "source"]: "https://new.example/" }
        : undefined
    const call = (name: keyof typeof deliveryIds) =>
      console.call(method, idOf(route.path, name), { key, ...(body ? { body } : {}) })
    const hidden = await call("other")
    const missing = await call("unknown")
    const comparable = ({ json }: typeof hidden) => ({ ...json, request_id: "", detail: "" })
    expect(hidden.status, route.operation).toBe(404)
    expect(comparable(hidden), route.operation).toEqual(comparable(missing))
    const named = (text: unknown, name: "other" | "unknown") =>
      String(text)
        .replaceAll(idOf(route.path, name), "*")
        .replaceAll(deliveryIds[name], "*")
        .replaceAll(name, "*")
    expect(named(hidden.json.detail, "other")).toBe(named(missing.json.detail, "unknown"))
    compared += 1
  }
  expect(compared).toBeGreaterThan(8)
})

test("lists contain only what the key may see", async () => {
  const ids = async (path: string, key: string) => {
    const { json } = await console.call("GET", path, { key })
    return (json.data as { id: string }[]).map(({ id }) => id)
  }
  const partner = await console.keyWith("channel:acme")
  expect(await ids("/v1/channels", partner)).toEqual(["acme"])
  expect(await ids("/v1/deliveries", partner)).toEqual([deliveryIds.acme])
  const owner = await console.keyWith("site:acme.example")
  expect(await ids("/v1/connections", owner)).toEqual(["acme"])
  const both = await console.keyWith("channel:acme", "channel:other")
  expect(await ids("/v1/channels", both)).toEqual(["other", "acme"])
  expect((await console.call("GET", "/v1/deliveries?channel=other", { key: partner })).status).toBe(404)
})

test("a key without a scope that the route needs gets 403, and learns which one it needs", async () => {
  const reader = await console.keyWith("read")
  expect((await console.call("GET", "/v1/channels/other", { key: reader })).status).toBe(200)
  const rejected = await console.call("POST", "/v1/channels/acme/pause", { key: reader })
  expect(rejected).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  expect(rejected.json.detail).toContain("operate")
  const partner = await console.keyWith("channel:acme")
  for (const path of ["/v1/keys", "/v1/audit", "/v1/jobs", "/v1/connections", "/v1/invalid-events"]) {
    expect((await console.call("GET", path, { key: partner })).status, path).toBe(403)
  }
})

test("a site owner creates connections of its own site only", async () => {
  const owner = await console.keyWith("site:acme.example")
  const create = (site: string) =>
    console.call("POST", "/v1/connections", { key: owner, body: { site, source: "https://s.example/" } })
  expect((await create("acme.example")).status).toBe(201)
  expect((await create("other.example")).status).toBe(403)
})
