import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { nonEmpty } from "../fixtures/nonEmpty.ts"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"
import { waitForStale } from "../fixtures/waitForStale.ts"

test("a second retry record of a dead delivery is dropped, although the partner has recovered", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200] })
  let well = false
  const partner = await startReceiver((_, response) => response.writeHead(well ? 200 : 503).end())
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher({ RETRY_PERIOD: "100ms" })
  await it.publishPaid([paid("shop-1")])
  const [row] = await waitUntil("the end", async () =>
    nonEmpty(
      await it.sql<{ id: string; attempts: number }>(
        "select id, attempts from delivery where state = 'dead'",
      ),
    ),
  )
  const { id, attempts } = row ?? { id: "", attempts: 0 }
  well = true
  await it.publishRetry(id, attempts)
  await waitForStale(dispatcher)
  expect(partner.received).toHaveLength(attempts)
  await partner.close()
})

test("the retry of a failed repetition is dropped if the delivery was delivered; a resend is sent", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("event")])
  await waitUntil("the delivery", async () => (await it.count("state = 'delivered'")) === 1)
  const id = await it.idOf()
  await it.publishRetry(id, 1)
  await waitForStale(dispatcher)
  expect(receiver.received).toHaveLength(1)
  await it.resend(id)
  await waitUntil("the resend", () => receiver.received.length === 2)
  expect(receiver.received[1]?.headers["x-sitewire-attempt"]).toBe("2")
  await receiver.close()
})
