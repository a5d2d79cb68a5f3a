import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, test } from "vitest"
import {
  type BatchRun,
  type BatchTriggersSettings,
  batchTriggers,
  type ReceivedTrigger,
  type TriggerOutcome,
} from "./batchTriggers.ts"

const token = "t"
const accepted = (correlation: string): TriggerOutcome => ({ status: "accepted", correlation })
const late: TriggerOutcome = { status: "unavailable", why: "deadline" }

/** Settles each trigger with what `outcome` returns for its connection. */
const settleAll = (batch: ReceivedTrigger[], run: BatchRun, outcome = accepted) =>
  batch.forEach(({ connection }, index) => {
    run.settle(index, outcome(connection))
  })

/** `call` sends a trigger; `responses` counts the responses of each connection's trigger. */
function start(settings: Partial<BatchTriggersSettings>) {
  const { handle, waiting } = batchTriggers({
    processBatch: async (batch, run) => settleAll(batch, run),
    isUnavailable: () => false,
    lingerMs: 1,
    maxBatch: 10,
    maxRunning: 2,
    maxWaiting: 10_000,
    deadlineMs: 2_000,
    ...settings,
  })
  const responses = new Map<string, number>()
  const call = (connection: string) =>
    new Promise<TriggerOutcome>((resolve) => {
      handle(
        { connection, token },
        () => null,
        (outcome) => {
          responses.set(connection, (responses.get(connection) ?? 0) + 1)
          resolve(outcome)
        },
      )
    })
  return { call, waiting, responses }
}

/** Batches that wait until the test finishes them. */
function manualBatches() {
  const batches: (BatchRun & { batch: ReceivedTrigger[]; finish: () => void })[] = []
  const processBatch: BatchTriggersSettings["processBatch"] = (batch, run) =>
    new Promise((resolve) => {
      const finish = () => {
        settleAll(batch, run)
        resolve()
      }
      batches.push({ ...run, batch, finish })
    })
  return { batches, processBatch }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`)

test("triggers that arrive together share a batch, and each gets its own response", async () => {
  const batches: string[][] = []
  const { call, waiting } = start({
    processBatch: async (batch, run) => {
      batches.push(batch.map(({ connection }) => connection))
      settleAll(batch, run, (connection) => accepted(connection.toUpperCase()))
    },
  })
  expect(await Promise.all(["a", "b", "c"].map(call))).toEqual(["A", "B", "C"].map(accepted))
  expect(batches).toEqual([["a", "b", "c"]])
  expect(waiting()).toBe(0)
})

test("the size of batches and the number of running ones are limited, and every trigger gets a response", async () => {
  let running = 0
  let most = 0
  const sizes: number[] = []
  const { call, waiting } = start({
    lingerMs: 0,
    processBatch: async (batch, run) => {
      sizes.push(batch.length)
      most = Math.max(most, ++running)
      await nextTurn()
      running -= 1
      settleAll(batch, run)
    },
  })
  expect(await Promise.all(names(995).map(call))).toEqual(names(995).map(accepted))
  expect(most).toBe(2)
  expect(Math.max(...sizes)).toBe(10)
  expect(waiting()).toBe(0)
})

test("a batch that fails is unavailable for its own callers and no others", async () => {
  const { call, waiting } = start({
    maxBatch: 2,
    processBatch: async (batch, run) => {
      if (batch.some(({ connection }) => connection === "c1")) throw new Error("the query failed")
      settleAll(batch, run)
    },
  })
  const failed: TriggerOutcome = { status: "unavailable", why: "failed" }
  expect(await Promise.all(names(4).map(call))).toEqual([failed, failed, accepted("c2"), accepted("c3")])
  expect(waiting()).toBe(0)
})

test("a trigger gets its response at the deadline and only once, whether its batch is running or has not started", async () => {
  const { batches, processBatch } = manualBatches()
  const { call, waiting, responses } = start({ processBatch, maxBatch: 2, maxRunning: 1, deadlineMs: 300 })
  const calls = names(4).map(call)
  const startedAt = performance.now()
  expect(await Promise.all(calls)).toEqual([late, late, late, late])
  expect(performance.now() - startedAt).toBeGreaterThan(290)
  // The two that never started are forgotten. The two that are running stay in memory until their batch ends.
  expect(waiting()).toBe(2)
  expect(batches).toHaveLength(1)
  expect(batches[0]?.isLate()).toBe(true)

  const next = call("next")
  batches[0]?.finish()
  await expect.poll(() => batches.length, { interval: 5 }).toBe(2)
  expect(batches[1]?.isLate()).toBe(false)
  batches[1]?.finish()
  expect(await next).toEqual(accepted("next"))
  expect([...responses.values()]).toEqual([1, 1, 1, 1, 1])
  expect(waiting()).toBe(0)
})

test("a trigger without an outcome delays neither its batch nor other batches, and gets one response", async () => {
  const { batches, processBatch } = manualBatches()
  const { call, waiting, responses } = start({ processBatch, maxBatch: 2, maxRunning: 1, deadlineMs: 300 })
  const [quick, stuck, next] = names(3).map(call)
  await expect.poll(() => batches.length, { interval: 5 }).toBe(1)
  batches[0]?.settle(0, accepted("c0"))
  expect(await quick).toEqual(accepted("c0"))
  expect(waiting()).toBe(2)
  batches[0]?.release()
  await expect.poll(() => batches.length, { interval: 5 }).toBe(2)
  batches[1]?.finish()
  expect(await next).toEqual(accepted("c2"))
  expect(await stuck).toEqual(late)
  // It stays in memory until its batch ends.
  expect(waiting()).toBe(1)
  batches[0]?.finish()
  await expect.poll(waiting, { interval: 5 }).toBe(0)
  expect([...responses.values()]).toEqual([1, 1, 1])
})

test("triggers beyond the limit, and all triggers while a dependency is unavailable, are rejected at once", async () => {
  const { batches, processBatch } = manualBatches()
  let unavailable = false
  const { call } = start({ processBatch, maxWaiting: 3, isUnavailable: () => unavailable })
  const calls = names(3).map(call)
  expect(await call("one too many")).toEqual({ status: "unavailable", why: "overload" })
  await expect.poll(() => batches.length, { interval: 5 }).toBe(1)
  batches[0]?.finish()
  expect(await Promise.all(calls)).toEqual(names(3).map(accepted))
  unavailable = true
  expect(await call("c")).toEqual({ status: "unavailable", why: "dependency" })
})
