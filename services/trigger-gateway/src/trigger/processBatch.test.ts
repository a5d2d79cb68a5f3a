import { hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { createMetrics } from "@sitewire/runtime"
import { expect, test } from "vitest"
import type { Arrived, BatchRun, Taken } from "./batchTriggers.ts"
import { createMeasures } from "../metrics.ts"
import { type BatchParts, createTakeBatch } from "./processBatch.ts"

const [right, other] = [newConnectorToken(), newConnectorToken()]

/** Runs one batch; what was answered, in the order of the batch, and what was published. */
async function take(batch: Pick<Arrived, "connection" | "token">[], publish: BatchParts["publish"]) {
  const answers: (Taken | undefined)[] = batch.map(() => undefined)
  const order: number[] = []
  const published: string[] = []
  const metrics = createMetrics("test")
  const takeBatch = createTakeBatch({
    readHashes: async (connections) => new Map(connections.map((id) => [id, hashConnectorToken(right)])),
    async publish(records) {
      await publish(records)
      published.push(...records.map(({ value }) => String(value)))
    },
    topic: "connector.triggered",
    measures: createMeasures(metrics, { waiting: () => 0, unavailablePartitions: () => 0 }),
    onPublished: () => {},
  })
  const released = Promise.withResolvers<void>()
  const run: BatchRun = {
    answer(at, taken) {
      answers[at] = taken
      order.push(at)
    },
    isLate: () => false,
    release: released.resolve,
  }
  const over = takeBatch(
    batch.map((trigger) => ({ ...trigger, at: 1_000 })),
    run,
  )
  return { answers, order, published, over, released: released.promise }
}

test("a wrong token gets 404 beside a right one for the same connection, and is not counted in its record", async () => {
  const batch = [right, other, right, other].map((token) => ({ connection: "c", token }))
  const { answers, published, over } = await take(batch, async () => {})
  await over
  const accepted = { status: "accepted", correlation: expect.any(String) }
  expect(answers).toEqual([accepted, { status: "not found" }, accepted, { status: "not found" }])
  expect(published.map((value) => JSON.parse(value))).toMatchObject([{ connection: "c", count: 2 }])
})

test("a record that Kafka does not acknowledge concerns its own connection; the others are answered before", async () => {
  const stuck = Promise.withResolvers<void>()
  const batch = ["a", "b", "c"].map((connection) => ({ connection, token: right }))
  const { answers, order, over, released } = await take(batch, ([record]) =>
    record?.key === "b" ? stuck.promise : Promise.resolve(),
  )
  await released
  expect(order).toEqual([0, 2])
  stuck.reject(new Error("no leader"))
  await over
  expect(answers.map((taken) => taken?.status)).toEqual(["accepted", "unavailable", "accepted"])
})
