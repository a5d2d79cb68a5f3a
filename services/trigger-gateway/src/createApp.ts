import type { RequestListener, ServerResponse } from "node:http"
import type { Logger } from "@sitewire/runtime"
import express, { type Request, type Response } from "express"
import { answers, sendAccepted, sendAnswer } from "./answers.ts"
import { lineUp } from "./lineUp.ts"
import type { Measures } from "./measures.ts"
import { type Address, readAddress } from "./readAddress.ts"
import { refuseLargeBody } from "./refuseLargeBody.ts"
import type { Taken } from "./takeTrigger.ts"

const path = "/connectors/hook/:id/:token"

/** Of one connection, without an answer. A proxy has one in hand and Node's own clients too; the rest is generosity. */
const maxInHand = 128

/**
 * The routes. The path holds the token, so nothing here hands it on: no answer, log line or metric is made from a
 * request, and Express's own last handler, which prints errors that quote the path, is never reached.
 */
export function createApp(settings: {
  take: (address: Address) => Promise<Taken>
  measures: Measures
  log: Logger
  stopping: AbortSignal
}): RequestListener {
  const { take, measures, log, stopping } = settings
  const app = express()
  app.disable("x-powered-by")
  app.set("query parser", false)
  app.enable("case sensitive routing")

  app.use(refuseLargeBody(() => measures.count("too_large")))
  app.post(path, onTrigger)
  app.all(path, (_request, response) => {
    measures.count("method")
    sendAnswer(response, answers.method)
  })

  async function onTrigger(request: Request, response: Response): Promise<void> {
    const startedAt = performance.now()
    const address = readAddress(request.params)
    const taken: Taken = address ? await take(address) : { status: "not found" }
    if (taken.status === "accepted") sendAccepted(response, taken.correlation)
    else sendAnswer(response, taken.status === "not found" ? answers.notFound : answers.unavailable)
    measures.answered(taken, performance.now() - startedAt)
  }

  /** After the routes: none matched, or one failed. A part that cannot be decoded fails and is an address like any. */
  function onUnmatched(response: ServerResponse, error: unknown): void {
    if (error === undefined || error === null || error instanceof URIError) {
      measures.count("not_found")
      sendAnswer(response, answers.notFound)
      return
    }
    log.error({ error }, "a request failed unexpectedly")
    if (response.headersSent) response.destroy()
    else sendAnswer(response, answers.broken)
  }

  return lineUp({
    maxInHand,
    stopping,
    onRefused: () => measures.count("unavailable"),
    onRequest(request, response) {
      app(request as Request, response as Response, (error: unknown) => onUnmatched(response, error))
    },
  })
}
