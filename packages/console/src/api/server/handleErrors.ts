import type { Logger } from "@sitewire/runtime"
import type { ErrorRequestHandler } from "express"
import { problem } from "../response.ts"
import { isDatabaseAway } from "../databaseErrors.ts"
import { KafkaAway } from "../../jobs/job.ts"
import { bodyFaults } from "./readJsonBody.ts"
import { sendProblem } from "./sendResponse.ts"

/** Turns what was thrown into a problem that tells nothing of the inside; the log gets the rest. */
export function handleErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const { requestId, route } = response.locals
    if (response.headersSent) {
      // Half an answer is out. Cutting the connection is the only way left to say that it is not whole.
      if (!isHangUp(error)) log.warn({ error, requestId, route }, "an answer broke off")
      response.destroy()
      return
    }
    const fault = bodyFaults[statusOf(error)]
    if (fault !== undefined) {
      sendProblem(response, problem(statusOf(error), fault))
    } else if (isDatabaseAway(error)) {
      log.warn({ error, requestId, route }, "the database is away")
      sendProblem(response, problem(503, "The database does not answer now. Try again in a few seconds."))
    } else if (error instanceof KafkaAway) {
      log.warn({ error, requestId, route }, "Kafka is away")
      const detail = "Kafka does not answer, so the refused events cannot be read. Ask again later."
      sendProblem(response, problem(503, detail))
    } else {
      log.error({ error, requestId, route }, "a request failed")
      const detail = `Something is broken here. The log says what, under the request id ${requestId}.`
      sendProblem(response, problem(500, detail))
    }
  }
}

/** The client went away while its answer was streamed: its right, and the access log says so. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE"
}

/** The status that Express's own parts hang on the errors of a request that they cannot read. */
function statusOf(error: unknown): number {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return 500
  return error.status
}
