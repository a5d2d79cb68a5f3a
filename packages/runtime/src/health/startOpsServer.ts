import type { Socket } from "node:net"
import type { Registry } from "../metrics/createMetrics.ts"
import { listen } from "./listen.ts"
import { nodeHttp } from "./nodeHttp.ts"
import type { Readiness } from "./readiness.ts"

const maxConnections = 64

export type OpsServer = { port: number; close(): Promise<void> }

/**
 * The HTTP server for operators, which partners must not reach: `/livez` (200 if the process responds),
 * `/readyz` (503 if a check fails) and `/metrics` (Prometheus text).
 */
export async function startOpsServer(settings: {
  host: string
  port: number
  readiness: Readiness
  metrics: Registry
}): Promise<OpsServer> {
  const { readiness, metrics } = settings
  const server = nodeHttp.createServer({ connectionsCheckingInterval: 1_000 }, async (request, response) => {
    const path = (request.url ?? "").split("?", 1)[0]
    if (path === "/livez") {
      response.writeHead(200, { "content-type": "text/plain" }).end("ok\n")
    } else if (path === "/readyz") {
      const state = readiness.read()
      response.writeHead(state.ready ? 200 : 503, { "content-type": "application/json" })
      response.end(`${JSON.stringify(state)}\n`)
    } else if (path === "/metrics") {
      await metrics.metrics().then(
        (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
        (error) =>
          response
            .writeHead(500, { "content-type": "text/plain" })
            .end(`the metrics cannot be read: ${error}\n`),
      )
    } else {
      response.writeHead(404, { "content-type": "text/plain" }).end("see /livez, /readyz and /metrics\n")
    }
  })
  // If there are more than `maxConnections`, a new connection closes the oldest. Otherwise slow clients could
  // use up the file descriptors that deliveries need, or block the probes.
  const open = new Set<Socket>()
  server.on("connection", (socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
    const [oldest] = open
    if (open.size <= maxConnections || !oldest) return
    open.delete(oldest)
    oldest.destroy()
  })
  server.headersTimeout = 5_000
  server.requestTimeout = 5_000
  const port = await listen(server, settings.host, settings.port, "OPS_PORT")
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
