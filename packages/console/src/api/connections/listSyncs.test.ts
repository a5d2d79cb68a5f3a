import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 12, n)).toISOString()

beforeAll(async () => {
  console = await startConsole()
  const source = "https://api.partner.example/items"
  for (const [id, site] of [
    ["bread", "bakery.example"],
    ["hours", "bakery.example"],
    ["plants", "florist.example"],
  ]) {
    await console.call("POST", "/v1/connections", { body: { id, site, source } })
    for (let fence = 1; fence <= 4; fence++)
      await console.prisma.syncRun.create({
        data: {
          connection_id: id ?? "",
          fence: BigInt(fence),
          started_at: minute(fence),
          triggers: 1,
          outcome: fence === 2 ? "failed" : "changed",
          error: fence === 2 ? "timeout" : null,
        },
      })
  }
})
afterAll(() => console.close())

type Sync = { connection: string; fence: number }

/** All pages of a list, as `connection fence`. */
async function list(query: string, key = console.key): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ""; ; ) {
    const { status, json } = await console.call("GET", `/v1/syncs?limit=2&${query}${cursor}`, { key })
    expect(status).toBe(200)
    found.push(...(json.data as Sync[]).map(({ connection, fence }) => `${connection} ${fence}`))
    if (json.next_cursor === null) return found
    cursor = `&cursor=${json.next_cursor}`
  }
}

const all = [4, 3, 2, 1].flatMap((fence) => [`plants ${fence}`, `hours ${fence}`, `bread ${fence}`])
const bakery = all.filter((sync) => !sync.startsWith("plants"))
const ofMinute = `started_after=${minute(2)}&started_before=${minute(3)}`

test("the syncs of all connections are listed newest first, page by page, also those that started together", async () => {
  expect(await list("")).toEqual(all)
  const { json } = await console.call("GET", "/v1/syncs?limit=1")
  expect(json.data).toMatchObject([{ connection: "plants", site: "florist.example", fence: 4 }])
})

test("syncs are found by time, outcome, connection and site, each with the others", async () => {
  expect(await list(ofMinute)).toEqual(["plants 2", "hours 2", "bread 2"])
  expect(await list("outcome=failed")).toEqual(["plants 2", "hours 2", "bread 2"])
  expect(await list("outcome=failed&connection=hours")).toEqual(["hours 2"])
  expect(await list("site=bakery.example")).toEqual(bakery)
  expect(await list(`site=bakery.example&started_after=${minute(3)}`)).toEqual(bakery.slice(0, 4))
  expect(await list("site=florist.example&connection=bread")).toEqual([])
  expect((await console.call("GET", "/v1/syncs?connection=none")).status).toBe(404)
  expect((await console.call("GET", "/v1/syncs?outcome=lost")).status).toBe(400)
})

test("a site owner sees the syncs of its own site only", async () => {
  const owner = await console.keyWith("site:bakery.example")
  expect(await list("", owner)).toEqual(bakery)
  expect(await list(ofMinute, owner)).toEqual(["hours 2", "bread 2"])
  expect(await list("site=florist.example", owner)).toEqual([])
  const hidden = await console.call("GET", "/v1/syncs?connection=plants", { key: owner })
  expect(hidden).toMatchObject({ status: 404, json: { code: "not-found" } })
  const partner = await console.keyWith("channel:bread")
  expect((await console.call("GET", "/v1/syncs", { key: partner })).status).toBe(403)
})
