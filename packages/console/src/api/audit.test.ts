import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://old.example/" } })
  await console.call("POST", "/v1/connections", {
    body: { id: "feed", site: "shop.example", source: "https://source.example/" },
  })
})
afterAll(() => console.close())

type Entry = { operation: string; target: object; changes: Record<string, object>; request_id: string }

async function search(query: string): Promise<Entry[]> {
  const { json } = await console.call("GET", `/v1/audit?${query}`)
  return json.data as Entry[]
}

test("a change is recorded with its values before and after, the key and the request", async () => {
  const changed = await console.call("PATCH", "/v1/channels/acme", {
    body: { address: "https://new.example/" },
  })
  const [newest] = await search("target_kind=channel&target=acme")
  expect(newest).toMatchObject({
    operation: "changeChannel",
    key: { id: expect.stringMatching(/^key_/), name: "test" },
    target: { kind: "channel", id: "acme" },
    changes: { address: { old: "https://old.example/", new: "https://new.example/" } },
    request_id: changed.headers.get("x-request-id"),
  })
})

test("the log contains no secret, and a read of the trigger URL is recorded", async () => {
  const staged = await console.call("POST", "/v1/channels/acme/secret/stage")
  const replaced = await console.call("POST", "/v1/connections/feed/token")
  const revealed = await console.call("GET", "/v1/connections/feed/trigger-url")
  expect(revealed.status).toBe(200)
  const text = JSON.stringify(await search("limit=100"))
  expect(text).toContain("readConnectionTriggerUrl")
  const tokenOf = (url: unknown) => new URL(String(url)).pathname.split("/")[4] ?? ""
  const secrets = [
    staged.json.staged_secret,
    tokenOf(replaced.json.trigger_url),
    tokenOf(revealed.json.trigger_url),
  ]
  for (const secret of secrets) {
    expect(String(secret).length).toBeGreaterThan(20)
    expect(text).not.toContain(String(secret))
  }
})

test("a request that its key does not allow is recorded once for each key and route, however often it is sent", async () => {
  const key = await console.keyWith("channel:acme")
  for (let n = 0; n < 3; n++) {
    expect((await console.call("GET", "/v1/audit", { key })).status).toBe(403)
    expect((await console.call("POST", "/v1/channels/acme/pause", { key })).status).toBe(403)
  }
  const denied = { operation: "denyRequest", client_address: "127.0.0.1", changes: {} }
  expect(await search("operation=denyRequest")).toMatchObject([
    { ...denied, target: { kind: "operation", id: "pauseChannel" } },
    { ...denied, target: { kind: "operation", id: "listAudit" } },
  ])
})

test("so is a request whose fields or whose subject its key does not allow", async () => {
  const partner = await console.keyWith("channel:acme")
  const owner = await console.keyWith("site:shop.example")
  const executor = { site: "shop.example", source: "https://source.example/", runner: "delegate" }
  const refused = [
    ["PATCH", "/v1/channels/acme", { key: partner, body: { address: "https://attacker.example/" } }],
    ["POST", "/v1/connections", { key: owner, body: executor }],
  ] as const
  for (const [method, path, options] of refused)
    for (let n = 0; n < 2; n++) expect((await console.call(method, path, options)).status).toBe(403)
  const denied = (id: string) => ({ operation: "denyRequest", target: { kind: "operation", id } })
  expect(await search("operation=denyRequest&limit=2")).toMatchObject([
    denied("createConnection"),
    denied("changeChannel"),
  ])
})

test("each entry is also a log line, without values and names", async () => {
  const { headers } = await console.call("PATCH", "/v1/channels/acme", {
    body: { address: "https://logged.example/" },
  })
  const lines = console.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "audit entry")
  expect(lines.at(-1)).toMatchObject({
    ...{ operation: "changeChannel", target: "channel acme" },
    requestId: headers.get("x-request-id"),
  })
  expect(JSON.stringify(lines)).not.toContain("logged.example")
})

test("entries younger than 90 days cannot be deleted by the function of the retention", async () => {
  const before = (await search("limit=100")).length
  await console.pool.sql("select delete_audit_entries(now() + interval '1 day', 1000)")
  expect((await search("limit=100")).length).toBe(before)
})

test("entries of operations that responded with a secret or personal data are found", async () => {
  const found = (await search("revealed=true&limit=100")).map(({ operation }) => operation)
  expect(found).toContain("readConnectionTriggerUrl")
  expect(found).toContain("stageSecret")
  expect(found).not.toContain("changeChannel")
})

test("a request that failed changes nothing and is not recorded", async () => {
  const before = (await search("limit=100")).length
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://old.example/" } })
  await console.call("POST", "/v1/channels/none/pause")
  await console.call("POST", "/v1/channels", { body: { address: "http://127.0.0.1/" } })
  expect((await search("limit=100")).length).toBe(before)
})

test("the log is searched by operation, key, target and time, in any combination", async () => {
  const operations = async (query: string) => (await search(query)).map(({ operation }) => operation)
  expect(await operations("operation=createChannel")).toEqual(["createChannel"])
  expect(await operations("operation=createChannel&target_kind=connection")).toEqual([])
  expect(await operations("key=key_none")).toEqual([])
  const [entry] = (await console.call("GET", "/v1/audit?operation=createConnection")).json.data as {
    created_at: string
  }[]
  const at = String(entry?.created_at)
  expect(await operations(`created_before=${at}&operation=createConnection`)).toEqual([])
  expect(await operations(`created_after=${at}&operation=createConnection`)).toEqual(["createConnection"])
  expect((await console.call("GET", "/v1/audit?target=acme")).status).toBe(400)
})
