import type { Server } from "node:http"
import { nodeHttp } from "@sitewire/runtime"
import type { App } from "./createApp.ts"
import { limitConnections } from "./limitConnections.ts"

export type ServerLimits = {
  maxConnections: number
  keepAliveMs: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  inactivityMs: number
}

export function createHttpServer(limits: ServerLimits, app: App): Server {
  // Node throws if the time-out for headers is longer than the time-out for the request.
  const headersTimeoutMs = Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs)
  const server = nodeHttp.createServer(
    {
      ...app.messageClasses,
      maxHeaderSize: 8 * 1024,
      headersTimeout: headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    },
    app.onRequest,
  )
  limitConnections(server, limits.maxConnections)
  // The time-outs above do not apply while a response is sent. Without this one, a client that vanished
  // without a FIN would keep its connection.
  server.timeout = limits.inactivityMs
  // Lets a client close its sending side and still get its responses. Node's types lack this option.
  Object.assign(server, { httpAllowHalfOpen: true })
  // 0 means no limit. With a limit, Node silently drops the headers beyond it, even Content-Length.
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = 0
  return server
}
