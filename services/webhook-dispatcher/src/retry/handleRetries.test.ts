import type { RetryRecord } from "@sitewire/contracts"
import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { dueDelivery } from "../../test/fixtures/dueDelivery.ts"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import type { DueDelivery } from "../delivery.ts"
import { createKeyedLock } from "../keyedLock.ts"
import { createHandleRetries } from "./handleRetries.ts"
import type { LoadedDelivery } from "./loadDeliveries.ts"

const row: LoadedDelivery = {
  id: "01a20f13-db73-7782-9f2e-53aac4ec9bfb",
  eventId: "event",
  body: Buffer.from("{}"),
  attempts: 1,
  elapsedMs: 60_000,
  traceparent: null,
  channel: dueDelivery.channel,
}
const second: RetryRecord = {
  delivery: "01a20f13-db73-7782-9f2e-53aac4ec9bfb",
  attempt: 2,
  failures: 1,
  correlation: "c",
}

async function handled(loaded: LoadedDelivery[]): Promise<DueDelivery[]> {
  const attempted: DueDelivery[] = []
  const handleRetries = createHandleRetries({
    load: async () => loaded,
    handleDelivery: async (due) => void attempted.push(due),
    lock: createKeyedLock(),
    metrics: createTestMetrics(),
    log: createLogger({ service: "test", level: "silent" }),
  })
  const value = Buffer.from(JSON.stringify(second))
  await handleRetries(
    [
      {
        topic: "retry",
        partition: 0,
        offset: "0",
        key: second.delivery,
        value,
        headers: {},
        original: { key: null, headers: {} },
        appendedAt: 0,
        timeFrom: "broker",
      },
    ],
    () => {},
  )
  return attempted
}

test("a retry whose attempt was made, or that is not scheduled, is dropped", async () => {
  expect(await handled([{ ...row, attempts: 2 }])).toEqual([])
  expect(await handled([])).toEqual([])
  expect(await handled([row])).toMatchObject([{ id: row.id, attempt: 2 }])
})
