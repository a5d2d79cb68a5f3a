import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { answers, sendLastAnswer } from "./responses.ts"

/** A connection's requests: how many have no answer yet, the newest that was let through, and the newest's chunks. */
type Line = { outstanding: number; newest: ServerResponse | null; bodyRead: Promise<void> | null }

/**
 * Lets one connection's pipelined requests through in their order, and none behind an answer that ends the connection:
 * Node parses on in what has arrived, and would hand over whatever a body that was refused is followed by. Who has
 * more than `maxOutstanding` requests without an answer gets 503 and is hung up on, so that one connection cannot take all
 * the places there are to wait in.
 */
export function lineUp(settings: {
  maxOutstanding: number
  stopping: AbortSignal
  onRefused: () => void
  onRequest: RequestListener
}): RequestListener {
  const { maxOutstanding, stopping, onRefused, onRequest } = settings
  const lines = new WeakMap<Socket, Line>()

  function lineOf(socket: Socket): Line {
    const known = lines.get(socket)
    if (known) return known
    const line = { outstanding: 0, newest: null, bodyRead: null }
    lines.set(socket, line)
    return line
  }

  function letThrough(line: Line, request: IncomingMessage, response: ServerResponse): void {
    if (line.newest?.shouldKeepAlive === false) {
      // Else a sender who goes on would fill the memory with requests that nobody answers. Not at once, as Node resumes
      // reading after each request that it parses, and so until it is through with what has arrived.
      setImmediate(() => request.socket.pause())
      return
    }
    line.newest = response
    if (stopping.aborted) response.shouldKeepAlive = false
    if (line.outstanding > maxOutstanding) {
      onRefused()
      sendLastAnswer(response, answers.unavailable)
    } else if (request.headers.host === undefined && request.httpVersion === "1.1") {
      sendLastAnswer(response, answers.noHost)
    } else if (request.headers["transfer-encoding"] !== undefined && request.httpVersion === "1.0") {
      // Node hands it over and then finds that it cannot tell where it ends, too late for what was begun.
      sendLastAnswer(response, answers.chunkedTooEarly)
    } else {
      onRequest(request, response)
    }
  }

  return (request, response) => {
    const line = lineOf(request.socket)
    line.outstanding += 1
    response.on("close", () => {
      line.outstanding -= 1
    })
    const { bodyRead } = line
    // The length of a chunked body is known at its end, and it is read later than the request behind it is parsed.
    if (request.headers["transfer-encoding"] !== undefined) {
      line.bodyRead = new Promise((resolve) => request.once("end", resolve))
    }
    if (bodyRead) void bodyRead.then(() => letThrough(line, request, response))
    else letThrough(line, request, response)
  }
}
