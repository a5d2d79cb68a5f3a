import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, test } from "vitest"
import {
  type Arrived,
  type BatchCallsSettings,
  type BatchRun,
  gatherTriggers,
  type Taken,
} from "./batchTriggers.ts"

const token = "t"
const accepted = (correlation: string): Taken => ({ status: "accepted", correlation })
const late: Taken = { status: "unavailable", why: "late" }

/** Answers each with what `outcome` makes of its connection. */
const answerAll = (batch: Arrived[], run: BatchRun, outcome = accepted) =>
  batch.forEach(({ connection }, at) => {
    run.answer(at, outcome(connection))
  })

function gathering(settings: Partial<BatchCallsSettings>) {
  const { take, waiting } = gatherTriggers({
    takeBatch: async (batch, run) => answerAll(batch, run),
    isAway: () => false,
    lingerMs: 1,
    maxBatch: 10,
    maxRunning: 2,
    maxWaiting: 10_000,
    deadlineMs: 2_000,
    ...settings,
  })
  const answered = new Map<string, number>()
  const call = (connection: string) =>
    new Promise<Taken>((resolve) => {
      take({ connection, token }, (taken) => {
        answered.set(connection, (answered.get(connection) ?? 0) + 1)
        resolve(taken)
      })
    })
  return { call, waiting, answered }
}

/** Holds every batch until it is released. */
function held() {
  const batches: (BatchRun & { batch: Arrived[]; finish: () => void })[] = []
  const takeBatch: BatchCallsSettings["takeBatch"] = (batch, run) =>
    new Promise((resolve) => {
      const finish = () => {
        answerAll(batch, run)
        resolve()
      }
      batches.push({ ...run, batch, finish })
    })
  return { batches, takeBatch }
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`)

test("triggers of one moment share a batch, and each gets its own answer", async () => {
  const batches: string[][] = []
  const { call, waiting } = gathering({
    takeBatch: async (batch, run) => {
      batches.push(batch.map(({ connection }) => connection))
      answerAll(batch, run, (connection) => accepted(connection.toUpperCase()))
    },
  })
  expect(await Promise.all(["a", "b", "c"].map(call))).toEqual(["A", "B", "C"].map(accepted))
  expect(batches).toEqual([["a", "b", "c"]])
  expect(waiting()).toBe(0)
})

test("a batch is no larger than its bound, no more than the bound run at once, and nobody is forgotten", async () => {
  let running = 0
  let most = 0
  const sizes: number[] = []
  const { call, waiting } = gathering({
    lingerMs: 0,
    takeBatch: async (batch, run) => {
      sizes.push(batch.length)
      most = Math.max(most, ++running)
      await nextTurn()
      running -= 1
      answerAll(batch, run)
    },
  })
  expect(await Promise.all(names(995).map(call))).toEqual(names(995).map(accepted))
  expect(most).toBe(2)
  expect(Math.max(...sizes)).toBe(10)
  expect(waiting()).toBe(0)
})

test("a batch that fails is unavailable for its own callers and no others", async () => {
  const { call, waiting } = gathering({
    maxBatch: 2,
    takeBatch: async (batch, run) => {
      if (batch.some(({ connection }) => connection === "c1")) throw new Error("refused")
      answerAll(batch, run)
    },
  })
  const failed: Taken = { status: "unavailable", why: "failed" }
  expect(await Promise.all(names(4).map(call))).toEqual([failed, failed, accepted("c2"), accepted("c3")])
  expect(waiting()).toBe(0)
})

test("who waits too long is answered at the deadline, under way or not begun, and once", async () => {
  const { batches, takeBatch } = held()
  const { call, waiting, answered } = gathering({ takeBatch, maxBatch: 2, maxRunning: 1, deadlineMs: 300 })
  const answers = names(4).map(call)
  const startedAt = performance.now()
  expect(await Promise.all(answers)).toEqual([late, late, late, late])
  expect(performance.now() - startedAt).toBeGreaterThan(290)
  // The two that never began are forgotten; the two under way are in memory until their batch is done.
  expect(waiting()).toBe(2)
  expect(batches).toHaveLength(1)
  expect(batches[0]?.isLate()).toBe(true)

  const next = call("next")
  batches[0]?.finish()
  await expect.poll(() => batches.length, { interval: 5 }).toBe(2)
  expect(batches[1]?.isLate()).toBe(false)
  batches[1]?.finish()
  expect(await next).toEqual(accepted("next"))
  expect([...answered.values()]).toEqual([1, 1, 1, 1, 1])
  expect(waiting()).toBe(0)
})

test("a trigger without an outcome delays neither the others of its batch nor other batches, and is answered once", async () => {
  const { batches, takeBatch } = held()
  const { call, waiting, answered } = gathering({ takeBatch, maxBatch: 2, maxRunning: 1, deadlineMs: 300 })
  const [quick, stuck, next] = names(3).map(call)
  await expect.poll(() => batches.length, { interval: 5 }).toBe(1)
  batches[0]?.answer(0, accepted("c0"))
  expect(await quick).toEqual(accepted("c0"))
  expect(waiting()).toBe(2)
  batches[0]?.release()
  await expect.poll(() => batches.length, { interval: 5 }).toBe(2)
  batches[1]?.finish()
  expect(await next).toEqual(accepted("c2"))
  expect(await stuck).toEqual(late)
  // In memory until its batch is over.
  expect(waiting()).toBe(1)
  batches[0]?.finish()
  await expect.poll(waiting, { interval: 5 }).toBe(0)
  expect([...answered.values()]).toEqual([1, 1, 1])
})

test("more than may wait are turned away at once, and so is everybody while a part is away", async () => {
  const { batches, takeBatch } = held()
  let away = false
  const { call } = gathering({ takeBatch, maxWaiting: 3, isAway: () => away })
  const answers = names(3).map(call)
  expect(await call("one too many")).toEqual({ status: "unavailable", why: "crowded" })
  await expect.poll(() => batches.length, { interval: 5 }).toBe(1)
  batches[0]?.finish()
  expect(await Promise.all(answers)).toEqual(names(3).map(accepted))
  away = true
  expect(await call("c")).toEqual({ status: "unavailable", why: "away" })
})
