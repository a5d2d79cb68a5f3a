import { randomBytes } from "node:crypto"
import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("a dispatcher with the wrong sealing keys is not ready and reports why, and defers without an attempt what another dispatcher sends", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const foreign = await it.dispatcher({ SEALING_KEYS: `k2:${randomBytes(32).toString("base64")}` })
  expect(foreign.readiness()).toMatchObject({
    ready: false,
    checks: { "sealing keys": { ready: false, why: expect.stringContaining('needs the key "k1"') } },
  })
  await it.publishPaid(["shop-1", "shop-2", "shop-3"].map((id) => paid(id)))
  await waitUntil("all to be deferred", async () => (await it.count("deferred_reason = 'fault'")) === 3)
  expect(await it.sql("select from attempt")).toEqual([])

  const own = await it.dispatcher()
  expect(own.readiness().ready).toBe(true)
  await waitUntil("all of them", async () => (await it.count("state = 'delivered'")) === 3)
  expect(partner.received.map(({ headers }) => headers["x-sitewire-attempt"])).toEqual(["1", "1", "1"])
  await partner.close()
})
