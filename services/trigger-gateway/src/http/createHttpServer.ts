import type { Server } from "node:http"
import { nodeHttp } from "@sitewire/runtime"
import type { App } from "./createApp.ts"
import { limitConnections } from "./limitConnections.ts"

export type ServerLimits = {
  maxConnections: number
  keepAliveMs: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** A connection with a request in flight may be silent for this long. */
  inactivityMs: number
}

/**
 * The listener that the internet reaches. Node itself responds to invalid, large and slow requests with 400,
 * 431 and 408.
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
      // The time-outs above are checked this often.
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    },
    app.onRequest,
  )
  limitConnections(server, limits.maxConnections)
  // The time-outs above do not apply while a response is sent, to a client that vanished without a FIN, say.
  server.timeout = limits.inactivityMs
  // Not in the types: a client may close its sending side and still get its responses.
  Object.assign(server, { httpAllowHalfOpen: true })
  // A limit would drop headers silently, Content-Length included.
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = 0
  return server
}
