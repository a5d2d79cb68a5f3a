import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { readCheck, requestCheck, resultsOf, waitForCheck } from "../fixtures/requestCheck.ts"
import { secret, startInstallation } from "../fixtures/testDispatcher.ts"
import { verifying } from "../fixtures/verifyingReceivers.ts"

const slowly = verifying([secret], (_, response) => void setTimeout(() => response.writeHead(204).end(), 400))

test("a dispatcher that stops releases its certification, and another one claims it at once", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver(slowly)
  await it.channel("acme", receiver.url)
  const first = await it.dispatcher()
  const id = await requestCheck(it.sql, { channel: "acme" })
  await waitUntil("the first points", async () => (await readCheck(it.sql, id)).report?.points.length)
  expect(await first.stop()).toBe(0)
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
