import { startReceiver } from "@sitewire/cli/receivers"
import { readSealingKeys, sealContexts, sealRequestHeaders } from "@sitewire/database"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { requestCheck, waitForCheck } from "../fixtures/requestCheck.ts"
import { paid, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

const token = "marked-token-0123456789"

async function setHeaders(it: TestInstallation, channel: string) {
  const headers = [{ name: "authorization", value: `Bearer ${token}` }]
  const keys = readSealingKeys(it.sealingKeys)
  const sealed = sealRequestHeaders(keys, sealContexts.receiverHeaders(channel), headers)
  await it.sql("update channel set request_headers_sealed = $2 where id = $1", [channel, sealed])
}

/** A receiver that quotes what it was sent, as the error pages of some gateways do. */
async function quoting(status: number) {
  const receiver = await startReceiver(({ headers }, response) => {
    response.writeHead(status).end(`no: ${headers.authorization} (${String(headers.authorization).slice(7)})`)
  })
  onTestFinished(() => receiver.close())
  return receiver
}

test("a channel's request headers are in each attempt and test, and their values in no row and no log", async () => {
  await using it = await startInstallation()
  const gateway = await quoting(204)
  const failing = await quoting(401)
  for (const [channel, { url }] of Object.entries({ acme: gateway, failing })) {
    await it.channel(channel, url)
    await setHeaders(it, channel)
  }
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1"), paid("shop-2", { channel: "failing" })])
  await waitUntil("an attempt of each", async () => (await it.sql("select from attempt")).length >= 2)
  await waitForCheck(it.sql, await requestCheck(it.sql, { channel: "failing" }))
  for (const { headers } of [...gateway.received, ...failing.received]) {
    expect(headers.authorization).toBe(`Bearer ${token}`)
    expect(headers["x-sitewire-signature"] ?? "sha256=").toMatch(/^sha256=/)
  }
  const [attempt] = await it.sql<{ request_headers: string; response_excerpt: Buffer }>(
    "select request_headers, response_excerpt from attempt where status = 401 limit 1",
  )
  expect(attempt?.request_headers).toMatch(/^authorization: …\ncontent-type: /)
  expect(attempt?.response_excerpt.toString()).toBe("no: *** (***)")
  const rows = await it.sql("select a::text, convert_from(response_excerpt, 'utf8') from attempt a")
  const checks = await it.sql("select c::text from receiver_check c")
  for (const text of [JSON.stringify([rows, checks]), dispatcher.output()]) expect(text).not.toContain(token)
})

test("a challenge to another origin gets no request headers", async () => {
  await using it = await startInstallation()
  const own = await quoting(204)
  const other = await quoting(204)
  await it.channel("acme", own.url)
  await setHeaders(it, "acme")
  await it.dispatcher()
  const id = await requestCheck(it.sql, { channel: "acme", kind: "address_change", address: other.url })
  await waitForCheck(it.sql, id)
  expect(other.received.map(({ headers }) => headers.authorization)).toEqual([undefined])
  expect(own.received).toEqual([])
})

test("nothing is sent without request headers that cannot be decrypted", async () => {
  await using it = await startInstallation()
  const partner = await quoting(204)
  await it.channel("acme", partner.url)
  const [row] = await it.sql<{ secret_sealed: Buffer }>("select secret_sealed from channel")
  // Sealed for another row, so it does not open.
  await it.sql("update channel set request_headers_sealed = $1", [row?.secret_sealed])
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the deferral", async () => (await it.count("deferred_reason = 'fault'")) === 1)
  expect(partner.received).toEqual([])
})
