import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

const hanging = 24

test("channels that hang do not delay another channel on the same origin", async () => {
  await using it = await startInstallation()
  // A platform that hosts several partners.
  const platform = await startReceiver(({ path }, response) => {
    if (path === "/well") response.writeHead(204).end()
  })
  for (let at = 0; at < hanging; at++) await it.channel(`hangs-${at}`, `${platform.url}/hangs-${at}`)
  await it.channel("well", `${platform.url}/well`)
  // Longer than the test waits for a delivery: after a time-out, other deliveries would get the permit.
  await it.dispatcher({ DELIVERY_TIMEOUT: "150s" })
  const toHang = (count: number) =>
    Array.from({ length: hanging * count }, (_, at) =>
      paid(`hangs-${count}-${at}`, { channel: `hangs-${at % hanging}` }),
    )
  // As many of each channel as the limit of a new channel.
  await it.publishPaid(toHang(8))
  await waitUntil("an attempt of each, and more of some", () => platform.received.length >= hanging + 8)

  const events = Array.from({ length: 50 }, (_, at) => paid(`well-${at}`, { channel: "well" }))
  await it.publishPaid(events)
  const well = () => platform.received.filter(({ path }) => path === "/well")
  await waitUntil("the deliveries to the healthy channel", () => well().length === 50)
  expect(new Set(well().map(({ headers }) => headers["x-sitewire-attempt"]))).toEqual(new Set(["1"]))
  await platform.close()
})
