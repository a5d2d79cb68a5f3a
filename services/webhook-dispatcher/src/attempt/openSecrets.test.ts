import { randomBytes } from "node:crypto"
import { startReceiver } from "@sitewire/receiver"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../../test/fixtures/testDispatcher.ts"

test("a dispatcher whose keys open no secret is not ready and says why, and what it defers another delivers", async () => {
  await using it = await startInstallation({ retryDelaysMs: [1_000] })
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const foreign = await it.dispatcher({ SEALING_KEYS: `k2:${randomBytes(32).toString("base64")}` })
  const ready = await fetch(`${foreign.addresses.ops}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({
    checks: { "sealing keys": { ready: false, why: expect.stringContaining('needs the key "k1"') } },
  })
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the deferral", async () => {
    return (await it.sql("select from delivery where deferred_reason = 'fault'")).length === 1
  })
  await foreign.end("SIGTERM")

  const own = await it.dispatcher()
  expect((await fetch(`${own.addresses.ops}/readyz`)).status).toBe(200)
  await waitUntil("the delivery", () => partner.received.length === 1)
  expect(partner.received[0]?.headers["x-sitewire-attempt"]).toBe("1")
  await partner.close()
}, 60_000)
