import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { readCheck, requestCheck, resultsOf, waitForCheck } from "../fixtures/requestCheck.ts"
import { secret, startInstallation } from "../fixtures/testDispatcher.ts"
import { verifying } from "../fixtures/verifyingReceivers.ts"

const slowly = verifying([secret], (_, response) => void setTimeout(() => response.writeHead(204).end(), 400))

test("if a dispatcher is killed in the middle of a certification, another one repeats it from the beginning", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver(slowly)
  await it.channel("acme", receiver.url)
  const first = await it.dispatcher({ DELIVERY_TIMEOUT: "2s" })
  const id = await requestCheck(it.sql, { channel: "acme" })
  await waitUntil("the first points", async () => (await readCheck(it.sql, id)).report?.points.length)
  await first.end("SIGKILL")
  expect(await readCheck(it.sql, id)).toMatchObject({ state: "running", claims: 1 })
  await it.dispatcher({ DELIVERY_TIMEOUT: "2s" })
  const row = await waitForCheck(it.sql, id, 60_000)
  expect(row).toMatchObject({ state: "done", claims: 2, report: { result: "passed" } })
  expect(Object.keys(resultsOf(row))).toHaveLength(9)
  await receiver.close()
}, 120_000)

test("a dispatcher that stops releases its certification, and another one claims it at once", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver(slowly)
  await it.channel("acme", receiver.url)
  const first = await it.dispatcher()
  const id = await requestCheck(it.sql, { channel: "acme" })
  await waitUntil("the first points", async () => (await readCheck(it.sql, id)).report?.points.length)
  expect(await first.end("SIGTERM")).toBe(0)
  expect(await readCheck(it.sql, id)).toMatchObject({ state: "waiting", claims: 0, lease_expires_at: null })
  await it.dispatcher()
  expect(await waitForCheck(it.sql, id, 60_000)).toMatchObject({ state: "done", claims: 1 })
  await receiver.close()
}, 120_000)

test("a certification whose dispatchers always end is given up", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  const id = await requestCheck(it.sql, { channel: "acme" })
  await it.sql("update receiver_check set state = 'running', claims = 3, lease_expires_at = now()")
  await it.dispatcher()
  expect(await waitForCheck(it.sql, id, 60_000)).toMatchObject({
    state: "failed",
    error: expect.stringContaining("3 times"),
  })
  expect(receiver.received).toEqual([])
  await receiver.close()
}, 120_000)
