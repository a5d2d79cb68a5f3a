import { randomBytes } from "node:crypto"
import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

type Installation = Awaited<ReturnType<typeof startInstallation>>

const events = (count: number, overrides = {}) =>
  Array.from({ length: count }, (_, at) => paid(`shop-${at}`, overrides))

const delivered = async (it: Installation) =>
  (await it.sql("select from delivery where state = 'delivered'")).length

test("a dispatcher with the wrong sealing keys is not ready and reports why, and another dispatcher delivers what it defers", async () => {
  await using it = await startInstallation({ retryDelaysMs: [1_000] })
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const foreign = await it.dispatcher({ SEALING_KEYS: `k2:${randomBytes(32).toString("base64")}` })
  expect(foreign.readiness()).toMatchObject({
    ready: false,
    checks: { "sealing keys": { ready: false, why: expect.stringContaining('needs the key "k1"') } },
  })
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the deferral", async () => {
    return (await it.sql("select from delivery where deferred_reason = 'fault'")).length === 1
  })
  await foreign.stop()

  const own = await it.dispatcher()
  expect(own.readiness().ready).toBe(true)
  await waitUntil("the delivery", () => partner.received.length === 1)
  expect(partner.received[0]?.headers["x-sitewire-attempt"]).toBe("1")
  await partner.close()
})

test("a delivery that a dispatcher cannot sign is deferred without an attempt, and is sent by a dispatcher that has the key", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const without = await it.dispatcher({ SEALING_KEYS: `k2:${Buffer.alloc(32, 1).toString("base64")}` })
  await it.publishPaid(events(3))
  await waitUntil("all to be deferred", async () => {
    return (await it.sql("select from delivery where deferred_reason = 'fault'")).length === 3
  })
  expect(without.readiness().ready).toBe(false)
  expect(await it.sql("select from attempt")).toEqual([])
  await it.dispatcher()
  await waitUntil("all of them", async () => (await delivered(it)) === 3)
  expect(partner.received.map(({ headers }) => headers["x-sitewire-attempt"])).toEqual(["1", "1", "1"])
  await partner.close()
})
