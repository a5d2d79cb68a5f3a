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
 * The listener that the internet reaches, with every limit set explicitly. If a request is not HTTP, too large or too
 * slow, Node responds with 400, 431 or 408 without a body and closes the connection.
 */
export function createHttpServer(limits: ServerLimits, app: App): Server {
  // Headers are a part of their request: Node rejects a longer time-out for them.
  const headersTimeoutMs = Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs)
  const server = nodeHttp.createServer(
    {
      ...app.messageClasses,
      // A trigger URL has about 150 bytes; proxies add headers.
      maxHeaderSize: 8 * 1024,
      headersTimeout: headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      // `limitPipelining` checks the header. Node would process requests behind the one that it rejects.
      requireHostHeader: false,
      // The time-outs are checked this often, so they may fire this much too late.
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    },
    app.onRequest,
  )
  limitConnections(server, limits.maxConnections)
  // The only time-out while a response is being sent. Without it, a client that vanishes without a FIN before it has
  // read its responses occupies a connection for ever.
  server.timeout = limits.inactivityMs
  // A client may close its sending side and wait for responses, which Node drops by default. No type or constructor
  // option declares this property.
  Object.assign(server, { httpAllowHalfOpen: true })
  // `maxHeaderSize` limits them. A limit on their number drops the rest silently, Content-Length included.
  server.maxHeadersCount = 0
  // No limit: a partner that calls often should reuse one connection.
  server.maxRequestsPerSocket = 0
  return server
}
