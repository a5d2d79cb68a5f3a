import type { Server } from "node:http"
import { nodeHttp } from "@sitewire/runtime"
import type { App } from "./createApp.ts"
import { limitConnections } from "./limitConnections.ts"

export type ServerLimits = {
  maxConnections: number
  keepAliveMs: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** How long an answer may take, and the longest that a client may leave one unread. */
  silenceMs: number
}

/**
 * The listener that the internet reaches, with every limit set on purpose. What is not HTTP, too long or too slow is
 * answered 400, 431 or 408 by Node, without a body, and hung up on.
 */
export function createGatewayServer(limits: ServerLimits, app: App): Server {
  const server = nodeHttp.createServer(
    {
      ...app.messages,
      // An address takes some 150 bytes; the rest is room for what proxies add.
      maxHeaderSize: 8 * 1024,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      // Refused by our own hand (`lineUp`): Node would take what follows the request that it refused.
      requireHostHeader: false,
      // How often the two time-outs are looked at, and so how late they may be.
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    },
    app.onRequest,
  )
  limitConnections(server, limits.maxConnections)
  // Nothing sent and nothing read while a request is in hand. Without it, whoever vanishes without a FIN before reading
  // the answers is kept for ever: the other time-outs end with the request, or begin with the answer's last byte.
  server.timeout = limits.silenceMs
  // A client may shut down its sending side and wait for its answers. Node's default drops the answers, of triggers
  // that are taken. Not among the declared properties, and an option of no constructor.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Bounded by their size above. A bound on their number drops the rest silently, and Content-Length with them.
  server.maxHeadersCount = 0
  // No limit: a partner that calls often does best on one connection, and the waiting is bounded as a whole.
  server.maxRequestsPerSocket = 0
  return server
}
