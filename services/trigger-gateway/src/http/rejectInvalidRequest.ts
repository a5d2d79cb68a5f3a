import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** The status for what Node's HTTP parser rejects. Anything else is 400. */
const statuses = new Map([
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "413 Content Too Large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
])

/**
 * Responds to bytes that are no HTTP request, or that arrive too slowly, and closes the connection. As Node does by
 * default, but with an X-Request-Id. `hasResponse`: the incomplete request has had its response.
 */
export function rejectInvalidRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse },
  hasResponse: boolean,
): void {
  if (socket.writable && !hasResponse && !socket._httpMessage?.headersSent) {
    const status = statuses.get(error.code ?? "") ?? "400 Bad Request"
    socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nX-Request-Id: ${randomUUID()}\r\n\r\n`)
  }
  socket.destroy()
}
