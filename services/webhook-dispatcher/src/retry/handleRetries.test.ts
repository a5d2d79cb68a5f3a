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
  state: "pending",
  attempts: 1,
  lateMs: 0,
  elapsedMs: 60_000,
  deferred: false,
  traceparent: null,
  channel: dueDelivery.channel,
}
const second: RetryRecord = {
  delivery: "01a20f13-db73-7782-9f2e-53aac4ec9bfb",
  attempt: 2,
  failures: 1,
  since: new Date().toISOString(),
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
        appendedAt: 0,
        timeFrom: "broker",
      },
    ],
    () => {},
  )
  return attempted
}

test.each([
  { why: "the delivery was deleted", loaded: [] },
  { why: "the delivery is deferred", loaded: [{ ...row, deferred: true }] },
  { why: "the delivery is dead", loaded: [{ ...row, state: "dead" as const }] },
  { why: "the delivery was cancelled", loaded: [{ ...row, state: "cancelled" as const }] },
  { why: "the delivery was erased", loaded: [{ ...row, state: "erased" as const }] },
  { why: "the attempt was made", loaded: [{ ...row, attempts: 2 }] },
  { why: "the delivery was delivered", loaded: [{ ...row, state: "delivered" as const, lateMs: null }] },
])("a retry is dropped if $why", async ({ loaded }) => {
  expect(await handled(loaded)).toEqual([])
})

test("the retry of a failed resend is attempted, although the delivery was delivered before", async () => {
  expect(await handled([{ ...row, state: "delivered" }])).toMatchObject([
    { id: "01a20f13-db73-7782-9f2e-53aac4ec9bfb", attempt: 2 },
  ])
})

test("the time by which an attempt is late does not count towards the retry period, and being early adds none", async () => {
  for (const [lateMs, elapsedMs] of [
    [0, 60_000],
    [50_000, 10_000],
    [-20_000, 60_000],
  ]) {
    const [due] = await handled([{ ...row, lateMs: lateMs ?? 0 }])
    expect(Math.abs(Date.now() - Date.parse(due?.since ?? "") - (elapsedMs ?? 0))).toBeLessThan(9_000)
  }
})
