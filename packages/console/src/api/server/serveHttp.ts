import type { RequestListener, Server } from "node:http"
import type { Socket } from "node:net"
import { listen, nodeHttp } from "@sitewire/runtime"

export type HttpListener = { port: number; close(deadlineMs: number): Promise<void> }

/** Listens for HTTP/1.1. `close` lets answers that are under way end, and cuts them at the deadline. */
export async function serveHttp(settings: {
  handler: RequestListener
  host: string
  port: number
  variable: string
}): Promise<HttpListener> {
  const server = nodeHttp.createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, settings.handler)
  // A caller that stops reading a snapshot would otherwise hold its socket for ever.
  server.setTimeout(60_000)
  server.on("clientError", refuseUnreadable)
  const port = await listen(server, settings.host, settings.port, settings.variable)
  return { port, close: (deadlineMs) => closeServer(server, deadlineMs) }
}

/** What Node's parser refuses never becomes a request; without this it answers with an empty body. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, title] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [431, "Request Header Fields Too Large"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "Request Timeout"]
        : [400, "Bad Request"]
  const body = JSON.stringify({
    type: "about:blank",
    title,
    status,
    detail: "This is not a request that HTTP knows.",
  })
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nCache-Control: no-store\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // Before the deadline itself, so that what is closed after this listener has time left.
  const timer = setTimeout(() => server.closeAllConnections(), deadlineMs * 0.8)
  await closed
  clearTimeout(timer)
}
