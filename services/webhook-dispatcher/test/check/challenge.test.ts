import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startLibraryReceiver } from "../fixtures/libraryReceiver.ts"
import { requestCheck, waitForCheck } from "../fixtures/requestCheck.ts"
import { paid, secret, startInstallation } from "../fixtures/testDispatcher.ts"

const allow = "update channel set partner_may_change_address = true"

async function challenge(it: Awaited<ReturnType<typeof startInstallation>>, address: string) {
  const id = await requestCheck(it.sql, { channel: "acme", kind: "address_change", address })
  return (await waitForCheck(it.sql, id)).report
}

test("a receiver with the handler of @sitewire/signing answers the challenge", async () => {
  await using it = await startInstallation()
  await it.channel("acme", "http://127.0.0.1:9/")
  await it.sql(allow)
  await it.dispatcher()
  for (const [secrets, report] of [
    [[secret], { status: 204, error: null }],
    [["another secret"], { status: 401, error: "status" }],
  ] as const) {
    const receiver = await startLibraryReceiver(secrets)
    onTestFinished(() => void receiver.close())
    expect(await challenge(it, receiver.url)).toEqual(report)
  }
})

test("an answer after the time limit is none", async () => {
  await using it = await startInstallation()
  const late = Promise.withResolvers<void>()
  const receiver = await startReceiver(({ headers }, response) => {
    const returned = { "X-Sitewire-Challenge": String(headers["x-sitewire-challenge"]) }
    void late.promise.then(() => response.writeHead(204, returned).end())
  })
  onTestFinished(() => receiver.close())
  await it.channel("acme", "http://127.0.0.1:9/")
  await it.dispatcher({ DELIVERY_TIMEOUT: "200ms" })
  expect(await challenge(it, receiver.url)).toEqual({ status: null, error: "timeout" })
  late.resolve()
})

test("a channel whose partner may change the address is not called in ALLOWED_RANGES, by a challenge or an attempt", async () => {
  await using it = await startInstallation()
  const internal = await startReceiver()
  onTestFinished(() => internal.close())
  await it.channel("acme", internal.url)
  await it.dispatcher({ ALLOWED_RANGES: "127.0.0.0/8", PARTNER_ALLOWED_RANGES: "" })
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the delivery", () => internal.received.length === 1)
  await it.sql(allow)
  expect(await challenge(it, internal.url)).toEqual({ status: null, error: "blocked-address" })
  await it.publishPaid([paid("shop-2")])
  const [attempt] = await waitUntil("the second attempt", async () => {
    const rows = await it.sql("select error from attempt order by started_at desc")
    return rows.length > 1 ? rows : null
  })
  expect(attempt).toEqual({ error: "blocked-address" })
  expect(internal.received).toHaveLength(1)
})
