import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "./fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

type Entry = { id: string }

async function readAllPages(path: string, between: () => Promise<void> = async () => {}): Promise<string[]> {
  const seen: string[] = []
  for (let cursor: unknown = ""; cursor !== null; ) {
    const page = await console.call("GET", `${path}${cursor === "" ? "" : `&cursor=${cursor}`}`)
    expect(page.status).toBe(200)
    seen.push(...(page.json.data as Entry[]).map((entry) => entry.id))
    cursor = page.json.next_cursor
    await between()
  }
  return seen
}

const secret = { secret_id: "sec_x", secret_sealed: new Uint8Array([1]) }
const channel = (id: string, created_at: Date) => ({
  id,
  created_at,
  address: "https://a.example/",
  ...secret,
})

test("pages neither repeat nor skip a row, although newer rows are inserted and several share a millisecond", async () => {
  const at = (n: number) => new Date(1_700_000_000_000 + Math.floor(n / 4))
  const ids = Array.from({ length: 23 }, (_, n) => `c${String(n).padStart(2, "0")}`)
  await console.prisma.channel.createMany({ data: ids.map((id, n) => channel(id, at(n))) })
  let inserted = 0
  const seen = await readAllPages("/v1/channels?limit=5", async () => {
    inserted += 1
    await console.prisma.channel.create({ data: channel(`late${inserted}`, new Date()) })
  })
  expect(seen).toEqual(ids.toReversed())
})

test("the last page has no next_cursor, even if it is full", async () => {
  const source = "https://api.partner.example/"
  for (const id of ["a", "b", "c", "d"]) {
    await console.call("POST", "/v1/connections", { body: { id, site: "shop.example", source } })
  }
  const first = await console.call("GET", "/v1/connections?limit=2")
  const second = await console.call("GET", `/v1/connections?limit=2&cursor=${first.json.next_cursor}`)
  expect((second.json.data as Entry[]).length).toBe(2)
  expect(second.json.next_cursor).toBeNull()
  const all = await console.call("GET", "/v1/connections?limit=4")
  expect(all.json.next_cursor).toBeNull()
  expect((all.json.data as Entry[]).map((entry) => entry.id)).toEqual(["d", "c", "b", "a"])
})
