import type { RequestListener, ServerResponse } from "node:http"
import type { Logger, Tracing } from "@sitewire/runtime"
import express, { type Request, type Response } from "express"
import type { GatewayMetrics } from "../metrics.ts"
import type { StartSpan, TriggerOutcome } from "../trigger/batchTriggers.ts"
import { parseTriggerUrl, type TriggerUrl } from "../trigger/parseTriggerUrl.ts"
import { createMessageClasses, type MessageClasses } from "./createMessageClasses.ts"
import { rejectLargeBody } from "./rejectLargeBody.ts"
import { responses, sendAccepted, sendResponse } from "./responses.ts"
import { startTriggerSpan, type TriggerSpan } from "./triggerSpan.ts"

const path = "/connectors/hook/:id/:token"

/**
 * The start of an absolute URL (`http://host`), which clients send to proxies. It is removed, because Express
 * lets Node parse absolute URLs, and Node prints malformed ones, token included, in a warning.
 */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

export type App = { onRequest: RequestListener; messageClasses: MessageClasses }

/**
 * Paths contain tokens, so no response, log line or metric contains a part of a request. Express's default
 * error handler prints paths, so it must never be reached.
 */
export function createApp(settings: {
  handle: (trigger: TriggerUrl, startSpan: StartSpan, respond: (outcome: TriggerOutcome) => void) => void
  metrics: GatewayMetrics
  tracing: Tracing
  log: Logger
  stopping: AbortSignal
}): App {
  const { handle, metrics, tracing, log, stopping } = settings
  const app = express()
  app.disable("x-powered-by")
  app.set("query parser", false)
  app.enable("case sensitive routing")

  app.post(path, onTrigger)
  app.all(path, (_request, response) => {
    metrics.count("method")
    sendResponse(response, responses.methodNotAllowed)
  })

  function onTrigger(request: Request, response: Response): void {
    const startedAt = performance.now()
    let span: TriggerSpan | null = null
    const respond = (outcome: TriggerOutcome) => {
      try {
        if (outcome.status === "accepted") sendAccepted(response, outcome.correlation)
        else
          sendResponse(response, outcome.status === "not found" ? responses.notFound : responses.unavailable)
        metrics.responded(outcome, performance.now() - startedAt)
        span?.end(outcome)
      } catch (error) {
        // If the error were rethrown, the other triggers of the batch would get no response.
        onFailed(response, error)
      }
    }
    const trigger = parseTriggerUrl(request.params)
    if (!trigger) {
      respond({ status: "not found" })
      return
    }
    const { connection } = trigger
    const startSpan: StartSpan = () => {
      const partner = request.headers.traceparent
      span = startTriggerSpan(tracing, { route: path, connection, partner, startedAt })
      return span?.traceparent ?? null
    }
    handle(trigger, startSpan, respond)
  }

  /** Called if no route matched (no error), the path cannot be decoded (a URIError), or a route failed. */
  function onUnmatched(response: ServerResponse, error: unknown): void {
    if (error === undefined || error === null || error instanceof URIError) {
      metrics.count("not_found")
      sendResponse(response, responses.notFound)
    } else {
      onFailed(response, error)
    }
  }

  function onFailed(response: ServerResponse, error: unknown): void {
    log.error({ error }, "a request failed because of an internal error")
    if (response.headersSent) response.destroy()
    else sendResponse(response, responses.internalError)
  }

  const onSmallRequest = rejectLargeBody(
    () => metrics.count("too_large"),
    (request, response) => {
      request.url = request.url?.replace(origin, "")
      if (!request.url?.startsWith("/")) return onUnmatched(response, undefined)
      app(request as Request, response as Response, (error: unknown) => onUnmatched(response, error))
    },
  )
  const onRequest: RequestListener = (request, response) => {
    if (stopping.aborted) response.shouldKeepAlive = false
    onSmallRequest(request, response)
  }
  return { onRequest, messageClasses: createMessageClasses(app) }
}
