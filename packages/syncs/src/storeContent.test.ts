import { expect, test } from "vitest"
import { chunkContent, countBufferedBytes } from "./storeContent.ts"

const kib = 1024

function start(buffered = countBufferedBytes()) {
  const written: number[] = []
  const chunks = chunkContent(async (_position, data) => void written.push(data.length), buffered)
  return { chunks, written }
}

test("content is written in chunks of 256 KiB, and its last one only on request", async () => {
  const { chunks, written } = start()
  for (let piece = 0; piece < 10; piece++) await chunks.add(Buffer.alloc(60 * kib))
  expect(written).toEqual([256 * kib, 256 * kib])
  await chunks.flush()
  expect(written).toEqual([256 * kib, 256 * kib, 88 * kib])
})

test("while all syncs together hold too much, each writes smaller chunks, and what one holds ends with it", async () => {
  const buffered = countBufferedBytes(100 * kib)
  const small = start(buffered)
  const large = start(buffered)
  await small.chunks.add(Buffer.alloc(60 * kib))
  await large.chunks.add(Buffer.alloc(60 * kib))
  expect([small.written, large.written]).toEqual([[], [60 * kib]])
  await large.chunks.add(Buffer.alloc(30 * kib))
  expect(large.written).toHaveLength(1)
  small.chunks[Symbol.dispose]()
  large.chunks[Symbol.dispose]()
  const later = start(buffered)
  await later.chunks.add(Buffer.alloc(100 * kib))
  expect(later.written).toEqual([])
})

test("however much all syncs hold, single bytes do not become chunks of their own", async () => {
  const { chunks, written } = start(countBufferedBytes(0))
  for (let piece = 0; piece < 40 * kib; piece++) await chunks.add(Buffer.alloc(1))
  expect(written).toEqual([16 * kib, 16 * kib])
})

test("content that could not be written is not counted any more", async () => {
  const buffered = countBufferedBytes(100 * kib)
  const chunks = chunkContent(() => Promise.reject(new Error("Postgres is unavailable")), buffered)
  await expect(chunks.add(Buffer.alloc(300 * kib))).rejects.toThrow()
  chunks[Symbol.dispose]()
  const later = start(buffered)
  await later.chunks.add(Buffer.alloc(100 * kib))
  expect(later.written).toEqual([])
})
