import type { Logger } from "@sitewire/runtime"
import type { ErrorRequestHandler } from "express"
import { problem } from "../../http/problems.ts"
import { bodyErrors } from "../../http/readJsonBody.ts"
import { sendProblem } from "../../http/sendResponse.ts"
import { KafkaUnavailable } from "../../kafka/publisher.ts"
import { isDatabaseUnavailable } from "../databaseErrors.ts"

/** Turns exceptions into problem documents. The error is in the log only, because it may reveal internals. */
export function handleErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const { requestId, route } = response.locals
    if (response.headersSent) {
      // The status is sent already, so only a closed connection can show that the response is incomplete.
      if (!isClientDisconnect(error)) log.warn({ error, requestId, route }, "a response was cut off")
      response.destroy()
      return
    }
    const bodyError = bodyErrors[statusOf(error)]
    if (bodyError !== undefined) {
      sendProblem(response, problem(bodyError))
    } else if (isDatabaseUnavailable(error)) {
      log.warn({ error, requestId, route }, "the database is unavailable")
      sendProblem(response, problem("database-unavailable"))
    } else if (error instanceof KafkaUnavailable) {
      log.warn({ error, requestId, route }, "Kafka is unavailable")
      sendProblem(response, problem("kafka-unavailable"))
    } else {
      log.error({ error, requestId, route }, "a request failed")
      const detail = `The console failed unexpectedly. Its log has the error, with the request id ${requestId}.`
      sendProblem(response, problem("internal-error", detail))
    }
  }
}

/**
 * True if the client closed the connection during a streamed response. The access log records this already,
 * so no warning is needed.
 */
function isClientDisconnect(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE"
}

/** Express sets a status on its errors about unreadable requests. Every other error is a 500. */
function statusOf(error: unknown): number {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return 500
  return error.status
}
