import type { RequestListener, Server } from "node:http"
import type { Socket } from "node:net"
import { listen, nodeHttp, requestPath } from "@sitewire/runtime"

export type HttpListener = { port: number; close(deadlineMs: number): Promise<void> }

/**
 * Listens for HTTP/1.1. `close` waits for responses in progress, and cuts them off shortly before the
 * deadline.
 */
export async function serveHttp(settings: {
  handler: RequestListener
  host: string
  port: number
  /** The variable that configures the port. The error names the variable if the port is in use. */
  variable: string
}): Promise<HttpListener> {
  const server = nodeHttp.createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000 },
    (request, response) => {
      request.url = requestPath(request.url ?? "")
      settings.handler(request, response)
    },
  )
  // Closes an inactive socket, such as one of a client that stopped reading a snapshot.
  server.setTimeout(60_000)
  server.on("clientError", rejectUnparsable)
  const port = await listen(server, settings.host, settings.port, settings.variable)
  return { port, close: (deadlineMs) => closeServer(server, deadlineMs) }
}

/**
 * Sends a problem document if Node's parser rejects a request. Node's own response would have an empty body.
 */
function rejectUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, title, detail] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [431, "Request Header Fields Too Large", "The request's headers are too large."]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "Request Timeout", "The request did not arrive in time."]
        : [400, "Bad Request", "This is not a valid HTTP/1.1 request."]
  const body = JSON.stringify({ type: "about:blank", title, status, detail })
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nCache-Control: no-store\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // Responses are cut off before the deadline, so that time remains for what is closed after this listener.
  const timer = setTimeout(() => server.closeAllConnections(), deadlineMs * 0.8)
  await closed
  clearTimeout(timer)
}
