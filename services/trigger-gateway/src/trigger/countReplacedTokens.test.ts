import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { countReplacedTokens, type ReplacedTokenCalls } from "./countReplacedTokens.ts"

const hash = Buffer.alloc(32, 1)

function start(store: (calls: readonly ReplacedTokenCalls[]) => Promise<void> = async () => {}) {
  const stored: (readonly ReplacedTokenCalls[])[] = []
  const failures: unknown[] = []
  const counter = countReplacedTokens({
    async store(calls) {
      stored.push(calls)
      await store(calls)
    },
    everyMs: 20,
    maxTokens: 100,
    onFailed: (error) => failures.push(error),
  })
  return { counter, stored, failures }
}

test("the calls of one token in a period are one entry, stored with the time of the last", async () => {
  const { counter, stored } = start()
  for (const at of [5, 9, 7]) counter.add("a", hash, at)
  await expect.poll(() => stored).toEqual([[{ connection: "a", hash, calls: 3, lastAt: 9 }]])
  counter.add("a", hash, 20)
  await counter.close()
  expect(stored[1]).toEqual([{ connection: "a", hash, calls: 1, lastAt: 20 }])
  await counter.close()
  expect(stored.length).toBe(2)
})

test("random tokens take limited memory, and those of one connection leave room for the others", async () => {
  const { counter, stored } = start()
  for (let n = 0; n < 5_000; n++) counter.add("attacked", randomBytes(32), n)
  counter.add("a", hash, 1)
  for (let n = 0; n < 5_000; n++) counter.add(`c${n}`, randomBytes(32), n)
  await counter.close()
  expect(stored.length).toBe(1)
  expect(stored[0]?.length).toBe(100)
  expect(stored[0]?.filter(({ connection }) => connection === "attacked").length).toBe(20)
  expect(stored[0]).toContainEqual({ connection: "a", hash, calls: 1, lastAt: 1 })
})

test("after a failure, the next calls are stored, and those that failed are not counted twice", async () => {
  let fails = true
  const { counter, stored, failures } = start(async () => {
    if (fails) throw new Error("Postgres is unavailable")
  })
  counter.add("a", hash, 1)
  await counter.close()
  expect(failures.length).toBe(1)
  fails = false
  counter.add("a", hash, 2)
  await counter.close()
  expect(stored.at(-1)).toEqual([{ connection: "a", hash, calls: 1, lastAt: 2 }])
})
