import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const soon = () => new Date(Date.now() + 60_000)
const ago = () => new Date(Date.now() - 60_000)

let inserted = 0
/** A delivery that waits, unless `waiting` is null. */
async function insert(
  columns: object = {},
  waiting: object | null = { next_attempt_at: soon() },
): Promise<string> {
  const id = `01900000-0000-7000-8000-${String(++inserted).padStart(12, "0")}`
  await console.prisma.delivery.create({
    data: {
      id,
      event_id: `event-${inserted}`,
      channel_id: "acme",
      body: new Uint8Array(),
      body_sha256: new Uint8Array(),
      correlation: "c",
      ...columns,
    },
  })
  if (waiting)
    await console.prisma.waitingDelivery.create({
      data: { delivery_id: id, channel_id: "acme", attempts: 0, ...waiting },
    })
  return id
}

const cancel = (id: string, body?: object) => console.call("POST", `/v1/deliveries/${id}/cancel`, { body })
const readRow = async (id: string) => ({
  ...(await console.prisma.delivery.findUniqueOrThrow({ where: { id } })),
  waiting: await console.prisma.waitingDelivery.findUnique({ where: { delivery_id: id } }),
})

test.each([
  ["is scheduled", () => ({ next_attempt_at: soon(), failures: 1, period_started_at: ago() }), "none"],
  ["is due", () => ({ next_attempt_at: ago(), failures: 1 }), "possible"],
  ["is deferred", () => ({ deferred_at: ago(), deferred_reason: "busy" }), "none"],
  [
    "is claimed",
    () => ({ deferred_at: ago(), deferred_reason: "busy", lease_expires_at: soon() }),
    "possible",
  ],
  ["waits for a resend", () => ({ deferred_at: ago(), deferred_reason: "resend" }), "possible"],
] as const)(
  "a delivery that %s is cancelled, and the response says what may still arrive",
  async (_, waiting, inFlight) => {
    const id = await insert({ attempts: 1 }, waiting())
    const { status, json } = await cancel(id, { reason: "ticket 17" })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      delivery: { id, state: "cancelled", next_attempt_at: null, deferred_at: null, waiting_for: null },
      attempt_in_flight: inFlight,
      may_still_arrive: expect.stringContaining(inFlight === "none" ? "Nothing" : "Attempt 2"),
    })
    expect(await readRow(id)).toMatchObject({
      state: "cancelled",
      state_error: "cancelled:",
      finished_at: expect.any(Date),
      waiting: null,
    })
    const ended = await console.prisma.endedDelivery.findMany({ where: { delivery_id: id } })
    expect(ended).toMatchObject([{ state: "cancelled" }])
    const audit = await console.call("GET", `/v1/audit?target_kind=delivery&target=${id}`)
    expect(audit.json.data).toMatchObject([
      {
        operation: "cancelDelivery",
        changes: { state: { old: "pending", new: "cancelled" }, reason: { old: null, new: "ticket 17" } },
      },
    ])
  },
)

test("only a pending delivery can be cancelled: the others get a 409 and stay as they are", async () => {
  for (const state of ["delivered", "dead", "cancelled", "erased"]) {
    const id = await insert({ state }, null)
    const before = await readRow(id)
    const rejected = await cancel(id)
    expect(rejected).toMatchObject({ status: 409, json: { code: "not-pending" } })
    expect(rejected.json.detail).toContain(state)
    expect(await readRow(id)).toEqual(before)
  }
  expect((await cancel("01900000-0000-7000-8000-999999999999")).status).toBe(404)
})

test("a partner's key may not cancel", async () => {
  const id = await insert()
  const key = await console.keyWith("channel:acme", "read")
  const rejected = await console.call("POST", `/v1/deliveries/${id}/cancel`, { key })
  expect(rejected).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  expect((await readRow(id)).state).toBe("pending")
})

test("a cancellation waits for an attempt that is being recorded, and then responds 409 if it was delivered", async () => {
  const id = await insert()
  const recording = await console.pool.driver.connect()
  await recording.query("begin")
  await recording.query("delete from waiting_delivery where delivery_id = $1", [id])
  await recording.query("update delivery set state = 'delivered', attempts = 1 where id = $1", [id])
  const cancelling = cancel(id)
  await waitUntil("the cancellation to wait for the attempt", async () => {
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return (await console.pool.sql(waiting)).length > 0
  })
  await recording.query("commit")
  recording.release()
  expect(await cancelling).toMatchObject({
    status: 409,
    json: { detail: expect.stringContaining("delivered") },
  })
  expect(await readRow(id)).toMatchObject({ state: "delivered", attempts: 1 })
})
