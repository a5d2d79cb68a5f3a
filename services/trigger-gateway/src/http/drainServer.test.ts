import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { generateLoad, sendBytes } from "../../test/fixtures/call.ts"
import { drainServer } from "./drainServer.ts"

/** Far beyond what the tests need, so that nothing ends at it. */
const deadlineMs = 600_000

async function start() {
  const server = createServer((_request, response) => response.end())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test("a load balancer that is slower than the drain delay gets no connection reset", async () => {
  const { server, origin } = await start()
  const statuses: number[] = []
  let isEnough = () => false
  const load = generateLoad({
    clients: 16,
    keepAlive: false,
    url: () => origin,
    onResponse({ status }) {
      statuses.push(status)
      return status === 0 || isEnough() ? "enough" : undefined
    },
  })
  await waitUntil("load", () => statuses.length > 100)
  const delayMs = 50
  const delayEndsAt = performance.now() + delayMs
  const drained = drainServer({ server, delayMs, responseMs: 0, deadlineMs, quietMs: 2_000 })
  await waitUntil("the delay to end", () => performance.now() > delayEndsAt)
  const enough = statuses.length + 200
  isEnough = () => statuses.length > enough
  await load.done
  await drained
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(statuses.length).toBeGreaterThan(enough)
})

test("a connection that never completes its request does not delay the stop", async () => {
  const { server, origin } = await start()
  const halves = [
    "",
    "POST /connectors/hook/a/b HT",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
  ]
  let accepted = 0
  server.on("connection", () => (accepted += 1))
  const conversations = halves.map((half) => sendBytes(origin, half))
  await waitUntil("all to be open", () => accepted === halves.length)
  await drainServer({ server, delayMs: 0, responseMs: 0, deadlineMs })
  expect((await Promise.all(conversations)).map(({ closed }) => closed)).toEqual([true, true, true])
})
