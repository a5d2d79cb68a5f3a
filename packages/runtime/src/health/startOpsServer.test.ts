import { connect } from "node:net"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { createMetrics } from "../metrics/createMetrics.ts"
import { createReadiness } from "./readiness.ts"
import { startOpsServer } from "./startOpsServer.ts"

test("callers that send half a request hold few connections, not for long, and keep no probe out", async () => {
  const ops = await startOpsServer({
    host: "127.0.0.1",
    port: 0,
    readiness: createReadiness([]),
    metrics: createMetrics("test"),
  })
  onTestFinished(ops.close)
  const callers = Array.from({ length: 100 }, () =>
    connect(ops.port, "127.0.0.1")
      .on("error", () => {})
      .resume(),
  )
  const open = () => callers.filter(({ destroyed }) => !destroyed).length
  onTestFinished(() => {
    for (const caller of callers) caller.destroy()
  })
  for (const caller of callers) caller.write("GET /livez HTTP/1.1\r\nHost: x")
  await waitUntil("those above the bound to be turned away", () => open() <= 64)
  expect(open()).toBe(64)
  expect((await fetch(`http://127.0.0.1:${ops.port}/livez`)).status).toBe(200)
  await waitUntil("the others to be let go", () => open() === 0, 12_000)
  expect((await fetch(`http://127.0.0.1:${ops.port}/livez`)).status).toBe(200)
}, 30_000)
