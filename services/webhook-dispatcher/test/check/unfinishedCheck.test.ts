import { randomBytes } from "node:crypto"
import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { readCheck, requestCheck, resultsOf, waitForCheck } from "../fixtures/requestCheck.ts"
import { secret, startInstallation } from "../fixtures/testDispatcher.ts"
import { verifying } from "../fixtures/verifyingReceivers.ts"

test("a dispatcher that stops releases its certification, and another one claims it at once", async () => {
  await using it = await startInstallation()
  const respond = verifying([secret])
  let stopped = false
  const receiver = await startReceiver((request, response, before) => {
    if (stopped || before < 3) respond(request, response)
  })
  await it.channel("acme", receiver.url)
  const first = await it.dispatcher()
  const id = await requestCheck(it.sql, { channel: "acme" })
  await waitUntil("the first points", async () => (await readCheck(it.sql, id)).report?.points.length)
  expect(await first.stop()).toBe(0)
  stopped = true
  expect(await readCheck(it.sql, id)).toMatchObject({ state: "waiting", claims: 0, lease_expires_at: null })
  await it.dispatcher()
  expect(await waitForCheck(it.sql, id)).toMatchObject({ state: "done", claims: 1 })
  await receiver.close()
})

test("a certification whose dispatchers always end is given up", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  const id = await requestCheck(it.sql, { channel: "acme" })
  await it.sql("update receiver_check set state = 'running', claims = 3, lease_expires_at = now()")
  await it.dispatcher()
  expect(await waitForCheck(it.sql, id)).toMatchObject({
    state: "failed",
    error: expect.stringContaining("3 times"),
  })
  expect(receiver.received).toEqual([])
  await receiver.close()
})

test("a receiver that never responds fails after the time limit", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver(() => {})
  await it.channel("acme", receiver.url)
  await it.dispatcher({ DELIVERY_TIMEOUT: "200ms" })
  const row = await waitForCheck(it.sql, await requestCheck(it.sql, { channel: "acme" }))
  expect(resultsOf(row)).toMatchObject({ genuine: "failed", "response-time": "failed", burst: "skipped" })
  expect(row.report?.points[0]?.received).toMatchObject([{ status: null, error: "timeout" }])
  await receiver.close()
})

test("a check whose secret cannot be decrypted fails, says why, and sends nothing", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  await it.dispatcher({ SEALING_KEYS: `other:${randomBytes(32).toString("base64")}` })
  for (const kind of ["test", "certification"]) {
    const row = await waitForCheck(it.sql, await requestCheck(it.sql, { channel: "acme", kind }))
    expect(row).toMatchObject({ state: "failed", error: expect.stringContaining("SEALING_KEYS") })
  }
  expect(receiver.received).toEqual([])
  await receiver.close()
})
