import { startReceiver } from "@sitewire/cli/receivers"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"
import { waitForAttempts } from "../fixtures/waitForAttempts.ts"

test("any 2xx is a success, also after an early hint, and no other status is", async () => {
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const statuses = [200, 202, 204, 206, 226, 299, 300, 304]
  const partner = await startReceiver(({ path }, response) => {
    const status = Number(path.slice(1))
    if (status === 299) response.writeEarlyHints({ link: "</style.css>; rel=preload" })
    response.writeHead(status).end()
  })
  for (const status of statuses) await it.channel(`answers-${status}`, `${partner.url}/${status}`)
  await it.dispatcher()
  await it.publishPaid(statuses.map((status) => paid(`shop-${status}`, { channel: `answers-${status}` })))
  const rows = await waitForAttempts(it, statuses.length)
  expect(Object.fromEntries(rows.map(({ status, error }) => [status, error]))).toEqual({
    ...Object.fromEntries(statuses.map((status) => [status, null])),
    300: "status",
    304: "status",
  })
  await partner.close()
})

test("an attempt is recorded with its timing, and with a body that arrives after the head of the response", async () => {
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const partner = await startReceiver((_, response) => {
    response.writeHead(500, { "content-length": "10" }).flushHeaders()
    setTimeout(() => response.end("not today."), 50)
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  const [fresh] = await waitForAttempts(it, 1)
  const some = expect.any(Number)
  expect(fresh).toMatchObject({ lookup_ms: null, connect_ms: some, tls_ms: null, first_byte_ms: some })
  expect(fresh).toMatchObject({ status: 500, said: "not today." })
  const { connect_ms, first_byte_ms, duration_ms } = fresh as Record<string, number>
  expect(connect_ms).toBeGreaterThan(0)
  expect(first_byte_ms).toBeGreaterThan(0)
  expect(Number(connect_ms) + Number(first_byte_ms)).toBeLessThanOrEqual(Number(duration_ms))
  await it.publishPaid([paid("shop-2")])
  const [, reused] = await waitForAttempts(it, 2)
  expect(reused).toMatchObject({ connect_ms: null, first_byte_ms: some, said: "not today." })
  await partner.close()
})
