import { type BatchBounds, createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { batchWrites } from "./batchWrites.ts"

function batchCalls({ run, ...bounds }: BatchBounds & { run: (items: number[]) => Promise<number[]> }) {
  return batchWrites({
    what: "write numbers",
    owner: "delivery",
    idOf: String,
    bounds,
    write: run,
    retry: (_what, work) => work(),
    expiring: new AbortController().signal,
    log: createLogger({ service: "test", level: "silent" }),
  }).write
}

test("calls of one moment share a batch, and each gets its own result", async () => {
  const batches: number[][] = []
  const double = batchCalls({
    lingerMs: 1,
    maxBatch: 100,
    maxRunning: 1,
    run: async (items) => {
      batches.push(items)
      return items.map((item) => item * 2)
    },
  })
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6])
  expect(batches).toEqual([[1, 2, 3]])
})

test("a row that takes too long alone is written later, and delays no others of its batch", async () => {
  const ended = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" })
  const written: number[] = []
  let isSlow = true
  const call = batchCalls({
    lingerMs: 1,
    maxBatch: 100,
    maxRunning: 1,
    run: async (items) => {
      if (isSlow && items.includes(1)) throw ended
      written.push(...items)
      return items
    },
  })
  const slow = call(1)
  expect(await Promise.all([2, 3, 4].map(call))).toEqual([2, 3, 4])
  expect(written).toEqual([2, 3, 4])
  isSlow = false
  expect(await slow).toBe(1)
})

test("a batch is no larger than its bound, no more than the bound run at once, and nobody is forgotten", async () => {
  let running = 0
  let most = 0
  const sizes: number[] = []
  const call = batchCalls({
    lingerMs: 0,
    maxBatch: 10,
    maxRunning: 2,
    run: async (items) => {
      sizes.push(items.length)
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running -= 1
      return items
    },
  })
  const items = Array.from({ length: 995 }, (_, at) => at)
  expect(await Promise.all(items.map(call))).toEqual(items)
  expect(most).toBe(2)
  expect(Math.max(...sizes)).toBe(10)
})

test("a batch that is large enough does not linger, and grows on while another runs", async () => {
  const sizes: number[] = []
  const ends: (() => void)[] = []
  const call = batchCalls({
    lingerMs: 60_000,
    flushAt: 3,
    maxBatch: 10,
    maxRunning: 2,
    run: async (items) => {
      sizes.push(items.length)
      await new Promise<void>((resolve) => ends.push(resolve))
      return items
    },
  })
  const calls = Array.from({ length: 9 }, (_, at) => call(at))
  expect(sizes).toEqual([3])
  ends.shift()?.()
  await Promise.all(calls.slice(0, 3))
  await new Promise(setImmediate)
  expect(sizes).toEqual([3, 6])
  const more = Array.from({ length: 10 }, (_, at) => call(at))
  expect(sizes).toEqual([3, 6, 10])
  for (const end of ends) end()
  await Promise.all([...calls, ...more])
})

test("a batch that fails rejects its own callers and no others", async () => {
  const call = batchCalls({
    lingerMs: 0,
    maxBatch: 2,
    maxRunning: 1,
    run: async (items) => {
      if (items.includes(1)) throw new Error("refused")
      return items
    },
  })
  const settled = await Promise.allSettled([0, 1, 2, 3].map(call))
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled", "fulfilled"])
})
