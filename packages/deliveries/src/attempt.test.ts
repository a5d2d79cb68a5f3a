import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { newDelivery } from "../test/fixtures/newDelivery.ts"
import { plainAttempt } from "../test/fixtures/plainAttempt.ts"
import type { AttemptRecord } from "./attempt.ts"
import { recordAttempts } from "./record.ts"
import { storeDeliveries } from "./store.ts"

const start = plainAttempt.started_at.getTime()
const at = (seconds: number) => new Date(start + seconds * 1_000)
type Outcome = "accepted" | "failed" | "dead"
const failure = { status: 503, error: "status", detail: "busy" } as const

function attemptAt(seconds: number, outcome: Outcome, duration_ms = 100): Omit<AttemptRecord, "delivery_id"> {
  const made = { ...plainAttempt, started_at: at(seconds), duration_ms }
  if (outcome === "accepted") return made
  if (outcome === "dead") return { ...made, ...failure, state: "dead" }
  return { ...made, ...failure, state: "pending", scheduled: { delayMs: 60_000, failures: 1 } }
}

test("a channel fails from its first failed attempt after its last success until an attempt succeeds, whoever records them", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  const [list] = await sql<{ version: string }>("select version from erasure_list")
  const erasures = { version: list?.version ?? "", covers: () => false }
  let events = 0
  async function store(...attempts: ReturnType<typeof attemptAt>[]) {
    const batch = attempts.map((attempt) => {
      const delivery = newDelivery(`event-${events++}`)
      return { delivery, attempt: { ...attempt, delivery_id: delivery.id }, deferral: null }
    })
    await storeDeliveries(sql, batch, { digestKey: null, publishOutcomes: false }, erasures)
  }
  async function record(...attempts: ReturnType<typeof attemptAt>[]) {
    const batch = await Promise.all(
      attempts.map(async (attempt) => ({ ...attempt, delivery_id: await insert() })),
    )
    const write = () => recordAttempts(sql, batch, { publishOutcomes: false })
    await write()
    // Its response may be lost.
    await write()
  }
  const row = async () => (await sql("select since, failures, last_error, ended_at from channel_failure"))[0]

  await store(attemptAt(0, "accepted"))
  expect(await row()).toBeUndefined()
  await store(attemptAt(1, "failed"), attemptAt(0, "accepted"))
  expect(await row()).toEqual({ since: at(1), failures: 1, last_error: "status", ended_at: null })
  await record(attemptAt(2, "failed"))
  // A success of before the failure, which another process records late.
  await record(attemptAt(0.5, "accepted"))
  expect(await row()).toMatchObject({ since: at(1), failures: 2, ended_at: null })
  await store(attemptAt(3, "failed"), attemptAt(4, "failed"))
  expect(await row()).toMatchObject({ since: at(1), failures: 3, ended_at: null })

  await record(attemptAt(6, "accepted"), attemptAt(5, "failed"))
  expect(await row()).toMatchObject({ since: at(1), failures: 3, ended_at: at(6.1) })
  // A failure of before the success, likewise.
  await record(attemptAt(5.5, "failed"))
  expect(await row()).toMatchObject({ ended_at: at(6.1) })
  await record(attemptAt(7, "failed"), attemptAt(8, "accepted"), attemptAt(9, "failed"))
  expect(await row()).toMatchObject({ since: at(9), failures: 1, ended_at: null })
  await record(attemptAt(10, "accepted"), attemptAt(11, "dead"))
  expect(await row()).toMatchObject({ since: at(11), failures: 3, ended_at: null })
})

test("attempts of a channel that goes on failing, or succeeding, do not wait for its row", async () => {
  const { sql, driver, insert } = await startDeliveryDatabase()
  const record = async (attempt: ReturnType<typeof attemptAt>) =>
    recordAttempts(sql, [{ ...attempt, delivery_id: await insert() }], { publishOutcomes: false })
  for (const second of [1, 2, 3]) await record(attemptAt(second, "failed"))
  const other = await driver.connect()
  const lock = async () => {
    await other.query("begin")
    await other.query("select from channel_failure for update")
  }
  await lock()
  await record(attemptAt(4, "failed"))
  let isRecorded = false
  const ending = record(attemptAt(5, "accepted")).then(() => {
    isRecorded = true
  })
  await record(attemptAt(6, "failed"))
  expect(isRecorded).toBe(false)
  await other.query("commit")
  await ending
  await lock()
  await record(attemptAt(7, "accepted"))
  await other.query("commit")
  other.release()
  expect(await sql("select ended_at from channel_failure")).toEqual([{ ended_at: at(5.1) }])
})
