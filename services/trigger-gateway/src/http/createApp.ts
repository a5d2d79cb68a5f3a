import { randomUUID } from "node:crypto"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type Logger, nodeHttp, requestPath, type Tracing } from "@sitewire/runtime"
import express, { type Express, type Request, type Response } from "express"
import type { GatewayMetrics } from "../metrics.ts"
import type { StartSpan, TriggerOutcome } from "../trigger/batchTriggers.ts"
import { parseTriggerUrl, type TriggerUrl } from "../trigger/parseTriggerUrl.ts"
import { discardBody, isBodySmall } from "./discardBody.ts"
import type { ConnectionLimit } from "./limitConnections.ts"
import { type FixedResponse, responses, sendAccepted, sendLastResponse, sendResponse } from "./responses.ts"
import { startTriggerSpan, type TriggerSpan } from "./triggerSpan.ts"

const path = "/connectors/hook/:id/:token"

export type App = ReturnType<typeof createApp>

/**
 * Paths contain tokens, so no response, log line or metric contains a part of a request. Express's default
 * error handler prints paths, so it must never be reached.
 */
export function createApp(settings: {
  handle: (trigger: TriggerUrl, startSpan: StartSpan, respond: (outcome: TriggerOutcome) => void) => void
  connections: ConnectionLimit
  metrics: GatewayMetrics
  tracing: Tracing
  log: Logger
  stopping: AbortSignal
}) {
  const { handle, connections, metrics, tracing, log, stopping } = settings
  const app = express()
  app.disable("x-powered-by")
  app.set("query parser", false)
  app.enable("case sensitive routing")

  app.post(path, onTrigger)
  app.all(path, (request, response) => {
    metrics.count("method")
    sendBeforeBody(request, response, responses.methodNotAllowed)
  })

  /** The last request of each connection whose response did not wait for the body. */
  const rejected = new WeakMap<Duplex, IncomingMessage>()

  /**
   * Does not wait for the body, so that it costs nothing to reject a URL. Whether the connection is closed depends on
   * the request's header only, so that a 404 is the same whatever is wrong with the URL.
   */
  function sendBeforeBody(request: IncomingMessage, response: ServerResponse, fixed: FixedResponse): void {
    if (isBodySmall(request)) {
      rejected.set(request.socket, request)
      sendResponse(response, fixed)
    } else sendLastResponse(request, response, fixed)
  }

  function onTrigger(request: Request, response: Response): void {
    const trigger = parseTriggerUrl(request.params)
    if (!trigger) {
      onUnmatched(request, response, undefined)
      return
    }
    discardBody(request, {
      onComplete: () => onComplete(trigger, request, response),
      onTooLarge() {
        metrics.count("too_large")
        sendLastResponse(request, response, responses.bodyTooLarge)
      },
    })
  }

  function onComplete(trigger: TriggerUrl, request: Request, response: Response): void {
    const startedAt = performance.now()
    const { socket } = request
    const { connection } = trigger
    let span: TriggerSpan = null
    const respond = (outcome: TriggerOutcome) => {
      connections.end(socket, outcome.status === "accepted")
      try {
        if (outcome.status === "accepted") sendAccepted(response, outcome.correlation)
        else if (outcome.status === "not found") sendBeforeBody(request, response, responses.notFound)
        else sendResponse(response, responses.unavailable)
        metrics.responded(outcome, performance.now() - startedAt)
        span?.end(outcome)
      } catch (error) {
        // If the error were rethrown, the other triggers of the batch would get no response.
        onFailed(response, error)
      }
    }
    const startSpan: StartSpan = () => {
      const partner = request.headers.traceparent
      span = startTriggerSpan(tracing, { route: path, connection, partner, startedAt })
      return span?.traceparent ?? null
    }
    connections.begin(socket)
    handle(trigger, startSpan, respond)
  }

  /** The URL was never a trigger URL (no error), the path cannot be decoded (a URIError), or a route failed. */
  function onUnmatched(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (error === undefined || error === null || error instanceof URIError) {
      metrics.count("not_found")
      sendBeforeBody(request, response, responses.notFound)
    } else {
      onFailed(response, error)
    }
  }

  function onFailed(response: ServerResponse, error: unknown): void {
    const correlation = randomUUID()
    log.error({ error, correlation }, "a request failed because of an internal error")
    if (response.headersSent) response.destroy()
    else sendResponse(response, responses.internalError, correlation)
  }

  const onRequest: RequestListener = (request, response) => {
    if (stopping.aborted) response.shouldKeepAlive = false
    const hosts = request.headersDistinct.host?.length ?? 0
    if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) {
      sendLastResponse(request, response, responses.notOneHost)
      return
    }
    if (request.httpVersion === "1.0" && request.headers["transfer-encoding"] !== undefined) {
      // HTTP/1.0 has no chunked bodies. Node emits the request before it notices that this body has no end.
      sendLastResponse(request, response, responses.chunkedHttp10)
      return
    }
    request.url = requestPath(request.url ?? "")
    app(request as Request, response as Response, (error: unknown) => onUnmatched(request, response, error))
  }
  return {
    onRequest,
    onInvalidRequest(error: Error, socket: Duplex): void {
      rejectInvalidRequest(error, socket, rejected.get(socket)?.complete === false)
    },
    messageClasses: createMessageClasses(app),
  }
}

/**
 * Request and response classes whose prototypes already are `app.request` and `app.response`. With Node's own
 * classes, Express sets the prototype of each request and response, which costs 5 % of a busy gateway's time.
 */
function createMessageClasses(app: Express) {
  class ExpressRequest extends nodeHttp.IncomingMessage {}
  class ExpressResponse<R extends IncomingMessage> extends nodeHttp.ServerResponse<R> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  app.request = ExpressRequest.prototype as typeof app.request
  app.response = ExpressResponse.prototype as typeof app.response
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }
}

/** The status for what Node's HTTP parser rejects. Anything else is 400. */
const statuses = new Map([
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "413 Content Too Large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
])

/**
 * Responds to bytes that are no HTTP request, or that arrive too slowly, as Node does by default, but with an X-Request-Id.
 * `hasResponse`: the incomplete request has had its response.
 */
function rejectInvalidRequest(
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
