import { dueDelivery } from "@sitewire/deliveries/fixtures/dueDelivery"
import type { ConsumerRecord } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import { createHandleRetries, type HandleRetriesParts } from "./handleRetries.ts"

const recordOf = (value: string, offset: string): ConsumerRecord => ({
  ...{ topic: "retry", partition: 0, offset, key: dueDelivery.id, value: Buffer.from(value), headers: {} },
  original: { key: null, headers: {} },
  ...{ appendedAt: 0, timeFrom: "broker" },
})
const due = JSON.stringify({ delivery: dueDelivery.id, attempt: 3 })

async function handled(values: string[], claim: HandleRetriesParts["claim"]) {
  const attempted: string[] = []
  const done: string[] = []
  const metrics = createTestMetrics()
  const handleRetries = createHandleRetries({
    claim,
    start: async ({ id }) => void attempted.push(id),
    metrics,
    log: createLogger({ service: "test", level: "silent" }),
  })
  await handleRetries(
    values.map((value, at) => recordOf(value, String(at))),
    ({ offset }) => void done.push(offset),
  )
  const [stale] = (await metrics.stale.get()).values
  return { attempted, done: done.sort(), stale: stale?.value }
}

test("a delivery is attempted once if its claim succeeds, and each record is done, whatever it is", async () => {
  const values = [due, "unreadable", due]
  const all = ["0", "1", "2"]
  const claimed = await handled(values, async () => [dueDelivery])
  expect(claimed).toEqual({ attempted: [dueDelivery.id], done: all, stale: 0 })
  expect(await handled(values, async () => [])).toEqual({ attempted: [], done: all, stale: 1 })
  const unavailable = await handled(values, () => Promise.reject(new Error("Postgres is unavailable")))
  expect(unavailable).toEqual({ attempted: [], done: all, stale: 1 })
})
