import type { Server } from "node:http"
import { nodeHttp } from "@sitewire/runtime"
import type { App } from "./createApp.ts"
import type { ConnectionLimit } from "./limitConnections.ts"

export type ServerLimits = {
  keepAliveMs: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  inactivityMs: number
}

export function createHttpServer(limits: ServerLimits, app: App, connections: ConnectionLimit): Server {
  // Node throws if the time-out for headers is longer than the time-out for the request.
  const headersTimeoutMs = Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs)
  const server = nodeHttp.createServer(
    {
      ...app.messageClasses,
      // The app checks it, for a response with an X-Request-Id.
      requireHostHeader: false,
      maxHeaderSize: 8 * 1024,
      headersTimeout: headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    },
    app.onRequest,
  )
  server.on("connection", connections.add)
  server.on("clientError", app.onInvalidRequest)
  // An expectation that we do not know may be ignored. Node's own response to it has no X-Request-Id.
  server.on("checkExpectation", app.onRequest)
  // For clients that vanished without a FIN: the time-outs above do not apply while a response is sent.
  server.timeout = limits.inactivityMs
  // Lets a client close its sending side and still get its responses. Missing in Node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
  // 0 means no limit. With a limit, Node silently drops the headers beyond it, even Content-Length.
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = 0
  return server
}
