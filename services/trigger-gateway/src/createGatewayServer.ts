import { createServer, type RequestListener, type Server } from "node:http"

export type ServerLimits = {
  maxConnections: number
  keepAliveMs: number
  headersTimeoutMs: number
  requestTimeoutMs: number
}

/**
 * The listener that the internet reaches, with every limit set on purpose. What is not HTTP, too long or too slow is
 * answered 400, 431 or 408 by Node, without a body, and hung up on.
 */
export function createGatewayServer(limits: ServerLimits, onRequest: RequestListener): Server {
  const server = createServer(
    {
      // An address takes some 150 bytes; the rest is room for what proxies add.
      maxHeaderSize: 8 * 1024,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      // How often the two time-outs are looked at, and so how late they may be.
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    },
    onRequest,
  )
  server.maxConnections = limits.maxConnections
  // Bounded by their size above. A bound on their number drops the rest silently, and Content-Length with them.
  server.maxHeadersCount = 0
  // No limit: a partner that calls often does best on one connection, and the waiting is bounded as a whole.
  server.maxRequestsPerSocket = 0
  return server
}
