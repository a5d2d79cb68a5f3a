import { hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { createLogger, createMetrics, noTracing } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createGatewayMetrics } from "../metrics.ts"
import type { BatchRun, ReceivedTrigger, TriggerOutcome } from "./batchTriggers.ts"
import { createProcessBatch, type ProcessBatchParts } from "./processBatch.ts"

const [valid, other] = [newConnectorToken(), newConnectorToken()]

/**
 * Starts one batch. `outcomes` are in the order of the batch, `order` has their indexes in the order of
 * settling.
 */
async function start(
  batch: (Pick<ReceivedTrigger, "connection" | "token"> & Partial<ReceivedTrigger>)[],
  publish: ProcessBatchParts["publish"],
) {
  const outcomes: (TriggerOutcome | undefined)[] = batch.map(() => undefined)
  const order: number[] = []
  const published: string[] = []
  const processBatch = createProcessBatch({
    readHashes: async (connections) => new Map(connections.map((id) => [id, hashConnectorToken(valid)])),
    async publish(records) {
      await publish(records)
      published.push(...records.map(({ value }) => String(value)))
    },
    topic: "connector.triggered",
    metrics: createGatewayMetrics(createMetrics("test")),
    tracing: noTracing,
    log: createLogger({ service: "test", level: "silent" }),
  })
  const released = Promise.withResolvers<void>()
  const run: BatchRun = {
    settle(index, outcome) {
      outcomes[index] = outcome
      order.push(index)
    },
    isLate: () => false,
    release: released.resolve,
  }
  const ended = processBatch(
    batch.map((trigger) => ({ startSpan: () => null, ...trigger, at: 1_000 })),
    run,
  )
  return { outcomes, order, published, ended, released: released.promise }
}

test("a wrong token gets 404 beside a valid one for the same connection, and is not counted in its record", async () => {
  const batch = [valid, other, valid, other].map((token) => ({ connection: "c", token }))
  const { outcomes, published, ended } = await start(batch, async () => {})
  await ended
  const accepted = { status: "accepted", correlation: expect.any(String) }
  expect(outcomes).toEqual([accepted, { status: "not found" }, accepted, { status: "not found" }])
  expect(published.map((value) => JSON.parse(value))).toMatchObject([{ connection: "c", count: 2 }])
})

test("a span starts for a valid token and for no other", async () => {
  const started: string[] = []
  const batch = Object.entries({ valid, wrong: other }).map(([name, token]) => ({
    connection: "c",
    token,
    startSpan: () => {
      started.push(name)
      return null
    },
  }))
  await (await start(batch, async () => {})).ended
  expect(started).toEqual(["valid"])
})

test("a record that Kafka does not acknowledge affects only its own connection; the others get their responses first", async () => {
  const stuck = Promise.withResolvers<void>()
  const batch = ["a", "b", "c"].map((connection) => ({ connection, token: valid }))
  const { outcomes, order, ended, released } = await start(batch, ([record]) =>
    record?.key === "b" ? stuck.promise : Promise.resolve(),
  )
  await released
  expect(order).toEqual([0, 2])
  stuck.reject(new Error("no leader"))
  await ended
  expect(outcomes.map((outcome) => outcome?.status)).toEqual(["accepted", "unavailable", "accepted"])
})
