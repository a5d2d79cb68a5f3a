import { closedPort } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startInstallation } from "../fixtures/testDispatcher.ts"

test("a dispatcher that is asked for its figures while it starts tells them, and goes on starting", async () => {
  await using it = await startInstallation()
  const port = await closedPort()
  let starting = true
  const statuses: number[] = []
  const asking = (async () => {
    while (starting) {
      // Refused until it listens.
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null)
      await answer?.text()
      if (answer) statuses.push(answer.status)
    }
  })()
  await it.dispatcher({ OPS_PORT: String(port) }).finally(() => {
    starting = false
  })
  await asking
  expect(new Set(statuses)).toEqual(new Set([200]))
}, 60_000)
