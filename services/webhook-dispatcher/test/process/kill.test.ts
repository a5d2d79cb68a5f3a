import { createHmac } from "node:crypto"
import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, secret, startInstallation } from "../fixtures/testDispatcher.ts"

const expectedSignature = (body: Buffer) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

test("after kill -9 in the middle of deliveries, none is lost, and each has one sequence of retries", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300, 600] })
  const failedOnce = new Set<string>()
  const partner = await startReceiver(({ headers }, response) => {
    const id = String(headers["x-sitewire-delivery"])
    // Every third delivery fails at first, so that there are scheduled retries at the kill.
    const fails = Number.parseInt(id.slice(-1), 16) % 3 === 0 && !failedOnce.has(id)
    failedOnce.add(id)
    setTimeout(() => response.writeHead(fails ? 500 : 200).end(), 20)
  })
  await it.channel("acme", partner.url)
  const events = Array.from({ length: 400 }, (_, at) => paid(`shop-${at}`))
  const first = await it.dispatcher()
  await it.publishPaid(events)
  await waitUntil("a part of them", () => partner.received.length > 100)
  await first.end("SIGKILL")
  const atKill = partner.received.length
  expect(atKill).toBeLessThan(400)
  await it.dispatcher()
  await waitUntil(
    "all",
    async () => (await it.sql("select 1 from delivery where state = 'delivered'")).length === 400,
    40_000,
  )
  const bodies = new Set(partner.received.map(({ body }) => body.toString()))
  expect(bodies.size).toBe(400)
  for (const { headers, body } of partner.received)
    expect(headers["x-sitewire-signature"]).toBe(expectedSignature(body))
  const [{ doubles } = { doubles: 0 }] = await it.sql<{ doubles: number }>(
    "select count(*)::int as doubles from (select 1 from attempt group by delivery_id, number having count(*) > 1) d",
  )
  // Only what was in flight at the kill, at most the channel's limit, and what had just ended and was not
  // recorded yet, can have been attempted twice.
  expect(doubles).toBeLessThanOrEqual(2 * 32)
  await partner.close()
}, 60_000)
