import { Counter, Histogram, type Logger, type Registry } from "@sitewire/runtime"
import type { RequestHandler } from "express"
import { newId } from "../../newIds.ts"

/**
 * One log line and two figures for each request. They name the route's pattern: paths hold ids, and what is not a route
 * can hold anything, a token pasted by mistake included.
 */
export function watchRequests({ log, metrics }: { log: Logger; metrics: Registry }): RequestHandler {
  const requests = new Counter({
    name: "sitewire_console_requests_total",
    help: "Requests answered by the console.",
    labelNames: ["method", "route", "status"],
    registers: [metrics],
  })
  const seconds = new Histogram({
    name: "sitewire_console_request_seconds",
    help: "From a request's head to the end of its answer.",
    labelNames: ["method", "route"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  })
  return (request, response, next) => {
    const startedAt = performance.now()
    const requestId = requestIdOf(request.headers["x-request-id"])
    response.locals.requestId = requestId
    response.setHeader("x-request-id", requestId)
    // `close` comes after the answer's end and also where the caller hangs up before it.
    response.once("close", () => {
      const ms = performance.now() - startedAt
      const method = known.includes(request.method) ? request.method : "other"
      const { route = "none", apiKey } = response.locals
      const status = response.writableFinished ? response.statusCode : "aborted"
      requests.inc({ method, route, status })
      seconds.observe({ method, route }, ms / 1000)
      log.info({ method, route, status, ms: Math.round(ms * 10) / 10, requestId, apiKey }, "request")
    })
    next()
  }
}

/** Any other word would be a label value of the caller's choice. */
const known = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"]

/** The caller's own, so that its log and ours can be joined, if it has the form of an id. */
function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w-]{8,64}$/.test(given) ? given : newId("req")
}
