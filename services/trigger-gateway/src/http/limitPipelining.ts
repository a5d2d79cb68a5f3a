import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { responses, sendLastResponse } from "./responses.ts"

type ConnectionState = {
  outstanding: number
  newest: ServerResponse | null
  bodyRead: Promise<void> | null
}

/**
 * Processes pipelined requests in order. Ignores everything after a response that closes the connection,
 * because it may be the rest of a rejected body. A TCP connection with more than `maxOutstanding` requests
 * without a response gets 503 and is closed. Otherwise it alone could use up GATEWAY_MAX_WAITING, the number
 * of triggers that may wait in the gateway.
 */
export function limitPipelining(settings: {
  maxOutstanding: number
  stopping: AbortSignal
  onRejected: () => void
  onRequest: RequestListener
}): RequestListener {
  const { maxOutstanding, stopping, onRejected, onRequest } = settings
  const connections = new WeakMap<Socket, ConnectionState>()

  function stateOf(socket: Socket): ConnectionState {
    const known = connections.get(socket)
    if (known) return known
    const state = { outstanding: 0, newest: null, bodyRead: null }
    connections.set(socket, state)
    return state
  }

  function processRequest(state: ConnectionState, request: IncomingMessage, response: ServerResponse): void {
    if (state.newest?.shouldKeepAlive === false) {
      // Stop reading, because ignored requests would fill the memory. Do so later, because Node resumes
      // reading after it has parsed this request.
      setImmediate(() => request.socket.pause())
      return
    }
    state.newest = response
    if (stopping.aborted) response.shouldKeepAlive = false
    if (state.outstanding > maxOutstanding) {
      onRejected()
      sendLastResponse(response, responses.unavailable)
    } else if (request.headers.host === undefined && request.httpVersion === "1.1") {
      sendLastResponse(response, responses.missingHost)
    } else if (request.headers["transfer-encoding"] !== undefined && request.httpVersion === "1.0") {
      // HTTP/1.0 has no chunked bodies. Node emits the request before it notices that this body has no end.
      sendLastResponse(response, responses.chunkedHttp10)
    } else {
      onRequest(request, response)
    }
  }

  return (request, response) => {
    const state = stateOf(request.socket)
    state.outstanding += 1
    response.on("close", () => {
      state.outstanding -= 1
    })
    const { bodyRead } = state
    // The next request waits until a chunked body has been read: Node emits that request earlier, when
    // `rejectLargeBody` does not know yet whether the body is too large.
    if (request.headers["transfer-encoding"] !== undefined) {
      state.bodyRead = new Promise((resolve) => request.once("end", resolve))
    }
    if (bodyRead) void bodyRead.then(() => processRequest(state, request, response))
    else processRequest(state, request, response)
  }
}
