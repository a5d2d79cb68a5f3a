import type { Server } from "node:http"
import { nodeHttp } from "@sitewire/runtime"
import type { App } from "./createApp.ts"
import { limitConnections } from "./limitConnections.ts"

export type ServerLimits = {
  maxConnections: number
  keepAliveMs: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** How long a response may take, and how long a client may leave it unread. */
  inactivityMs: number
}

/**
 * The listener that the internet reaches, so every limit is explicit. Node itself responds to invalid, large and slow
 * requests, with 400, 431 and 408, and closes the connection.
 */
export function createHttpServer(limits: ServerLimits, app: App): Server {
  // Node rejects a longer time-out for headers than for the request.
  const headersTimeoutMs = Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs)
  const server = nodeHttp.createServer(
    {
      ...app.messageClasses,
      maxHeaderSize: 8 * 1024,
      headersTimeout: headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      // `limitPipelining` checks the header: Node would process the requests behind a rejected one.
      requireHostHeader: false,
      // The time-outs may fire so much too late.
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    },
    app.onRequest,
  )
  limitConnections(server, limits.maxConnections)
  // The only time-out while a response is being sent, for clients that vanish without a FIN.
  server.timeout = limits.inactivityMs
  // A client may close its sending side and wait for responses; Node drops these by default. The types omit this option.
  Object.assign(server, { httpAllowHalfOpen: true })
  // A limit on the number of headers would drop the rest silently, Content-Length included.
  server.maxHeadersCount = 0
  // A partner that calls often should reuse its connection.
  server.maxRequestsPerSocket = 0
  return server
}
