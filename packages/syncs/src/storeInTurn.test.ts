import { expect, test, vi } from "vitest"
import { type Chunk, type StoredChunk, storeInTurn } from "./storeContent.ts"

const large = 256 * 1024
const chunkOf = (connection: string, bytes: number, site: string | null): Chunk => ({
  connection,
  site,
  fence: 1,
  grantId: "00000000-0000-4000-8000-000000000000",
  position: 0,
  data: Buffer.alloc(bytes),
})

/** Stores that end when the test ends them. `begun`: the connections of those that have begun. */
function start() {
  const begun: string[] = []
  const ends: { resolve: (stored: StoredChunk) => void; reject: (error: Error) => void }[] = []
  const store = storeInTurn(({ connection }) => {
    begun.push(connection)
    return new Promise((resolve, reject) => ends.push({ resolve, reject }))
  })
  return { begun, ends, store }
}

test("large chunks of a site are stored one after the other, and those of other sites at the same time", async () => {
  const { begun, ends, store } = start()
  const first = store(chunkOf("a", large, "bakery.example"))
  const second = store(chunkOf("b", large, "bakery.example"))
  const third = store(chunkOf("c", large, "bakery.example"))
  const other = store(chunkOf("other", large, "bookshop.example"))
  expect(begun).toEqual(["a", "other"])
  ends[1]?.resolve("stored")
  expect(await other).toBe("stored")
  expect(begun).toEqual(["a", "other"])
  ends[0]?.resolve("stored")
  expect(await first).toBe("stored")
  expect(begun).toEqual(["a", "other", "b"])
  ends[2]?.resolve("site-full")
  expect(await second).toBe("site-full")
  expect(begun).toEqual(["a", "other", "b", "c"])
  ends[3]?.resolve("stored")
  expect(await third).toBe("stored")
})

test("a chunk that fails does not fail or stop the next one of its site", async () => {
  const { begun, ends, store } = start()
  const first = store(chunkOf("a", large, "bakery.example"))
  const second = store(chunkOf("b", large, "bakery.example"))
  ends[0]?.reject(new Error("the connection was closed"))
  await expect(first).rejects.toThrow("the connection was closed")
  expect(begun).toEqual(["a", "b"])
  ends[1]?.resolve("stored")
  expect(await second).toBe("stored")
})

test("small chunks of a site without a large one, and those of connections without a site, do not wait", () => {
  const { begun, store } = start()
  void store(chunkOf("small", 1_000, "bakery.example"))
  void store(chunkOf("another", 1_000, "bakery.example"))
  void store(chunkOf("b", large, null))
  void store(chunkOf("c", large, null))
  expect(begun).toEqual(["small", "another", "b", "c"])
})

test("small chunks wait for a large one of their site, so that many of them do not take all connections", async () => {
  const { begun, ends, store } = start()
  void store(chunkOf("a", large, "bakery.example"))
  const second = store(chunkOf("small", 1_000, "bakery.example"))
  void store(chunkOf("another", 1_000, "bakery.example"))
  void store(chunkOf("other", 1_000, "bookshop.example"))
  expect(begun).toEqual(["a", "other"])
  ends[0]?.resolve("stored")
  ends[1]?.resolve("stored")
  await vi.waitFor(() => expect(begun).toEqual(["a", "other", "small"]), 10_000)
  ends[2]?.resolve("stored")
  await second
  expect(begun).toEqual(["a", "other", "small", "another"])
})
