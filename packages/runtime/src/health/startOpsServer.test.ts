import { connect } from "node:net"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { createMetrics } from "../metrics/createMetrics.ts"
import { createReadiness } from "./readiness.ts"
import { startOpsServer } from "./startOpsServer.ts"

test("clients that send half a request use few connections, for a short time, and do not block probes", async () => {
  const ops = await startOpsServer({
    host: "127.0.0.1",
    port: 0,
    readiness: createReadiness([]),
    metrics: createMetrics("test"),
  })
  onTestFinished(ops.close)
  const clients = Array.from({ length: 100 }, () =>
    connect(ops.port, "127.0.0.1")
      .on("error", () => {})
      .resume(),
  )
  const open = () => clients.filter(({ destroyed }) => !destroyed).length
  onTestFinished(() => {
    for (const client of clients) client.destroy()
  })
  for (const client of clients) client.write("GET /livez HTTP/1.1\r\nHost: x")
  await waitUntil("connections above the limit to be closed", () => open() <= 64)
  expect(open()).toBe(64)
  expect((await fetch(`http://127.0.0.1:${ops.port}/livez`)).status).toBe(200)
  await waitUntil("the others to be closed", () => open() === 0, 12_000)
  expect((await fetch(`http://127.0.0.1:${ops.port}/livez`)).status).toBe(200)
})
