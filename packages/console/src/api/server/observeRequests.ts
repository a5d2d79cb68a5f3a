import { Counter, Histogram, type Logger, type Registry } from "@sitewire/runtime"
import type { RequestHandler } from "express"
import { newId } from "../../newIds.ts"

/**
 * Logs and metrics contain the route's pattern and not the path: a path contains ids, and an unknown path may
 * contain anything, such as a pasted token.
 */
export function observeRequests({ log, metrics }: { log: Logger; metrics: Registry }): RequestHandler {
  const requests = new Counter({
    name: "sitewire_console_requests_total",
    help: "Requests to the console.",
    labelNames: ["method", "route", "status"],
    registers: [metrics],
  })
  const seconds = new Histogram({
    name: "sitewire_console_request_seconds",
    help: "From a request's head to the end of its response, with the wait for its turn. Without those rejected because there were too many.",
    labelNames: ["method", "route"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  })
  return (request, response, next) => {
    const startedAt = performance.now()
    const requestId = requestIdOf(request.headers["x-request-id"])
    response.locals.requestId = requestId
    response.setHeader("x-request-id", requestId)
    // Unlike `finish`, `close` is also emitted if the client disconnects.
    response.once("close", () => {
      const ms = performance.now() - startedAt
      const method = knownMethods.includes(request.method) ? request.method : "other"
      const { route = "none", apiKey, endless, rejected } = response.locals
      if (endless) {
        // Its duration says nothing about the console, and a client that disconnects is its normal end.
        requests.inc({ method, route, status: response.statusCode })
        log.info({ method, route, status: response.statusCode, requestId, apiKey }, "stream ended")
        return
      }
      const status = response.writableFinished ? response.statusCode : "aborted"
      requests.inc({ method, route, status })
      // `limitRate` logs how many there were, and has delayed this response.
      if (rejected) return
      seconds.observe({ method, route }, ms / 1000)
      log.info({ method, route, status, ms: Math.round(ms * 10) / 10, requestId, apiKey }, "request")
    })
    next()
  }
}

/**
 * Methods that metrics contain by name. All others are counted as "other", because callers could otherwise
 * create any number of label values.
 */
const knownMethods = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]

/**
 * The request's id in log lines. It is the caller's id, so that both sides' logs can be joined, or a new one
 * if the caller's is missing or malformed.
 */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[\w-]{8,64}$/.test(header) ? header : newId("req")
}
