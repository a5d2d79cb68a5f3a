import type { RequestListener, ServerResponse } from "node:http"
import type { Logger } from "@sitewire/runtime"
import express, { type Request, type Response } from "express"
import { answers, sendAccepted, sendAnswer } from "./responses.ts"
import { expressMessages, type Messages } from "./expressPrototypes.ts"
import type { Taken } from "../trigger/batchTriggers.ts"
import { lineUp } from "./limitPipelining.ts"
import type { Measures } from "../metrics.ts"
import { type Address, readAddress } from "../trigger/parseTriggerUrl.ts"
import { refuseLargeBody } from "./rejectLargeBody.ts"

const path = "/connectors/hook/:id/:token"

/**
 * What stands before the path where a caller sends the whole address, as to a proxy. Express would have Node parse that,
 * which prints the address in a warning where it is not well formed.
 */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** Of one connection, without an answer. A proxy has one in hand and Node's own clients too; the rest is generosity. */
const maxOutstanding = 128

export type App = { onRequest: RequestListener; messages: Messages }

/**
 * The routes. The path holds the token, so nothing here hands it on: no answer, log line or metric is made from a
 * request, and Express's own last handler, which prints errors that quote the path, is never reached.
 */
export function createApp(settings: {
  take: (address: Address, answer: (taken: Taken) => void) => void
  measures: Measures
  log: Logger
  stopping: AbortSignal
}): App {
  const { take, measures, log, stopping } = settings
  const app = express()
  app.disable("x-powered-by")
  app.set("query parser", false)
  app.enable("case sensitive routing")

  app.post(path, onTrigger)
  app.all(path, (_request, response) => {
    measures.count("method")
    sendAnswer(response, answers.method)
  })

  function onTrigger(request: Request, response: Response): void {
    const startedAt = performance.now()
    const answer = (taken: Taken) => {
      try {
        if (taken.status === "accepted") sendAccepted(response, taken.correlation)
        else sendAnswer(response, taken.status === "not found" ? answers.notFound : answers.unavailable)
        measures.answered(taken, performance.now() - startedAt)
      } catch (error) {
        // Called for one after the other of a batch: none of the others must go without an answer.
        onFailed(response, error)
      }
    }
    const address = readAddress(request.params)
    if (address) take(address, answer)
    else answer({ status: "not found" })
  }

  /** After the routes: none matched, or one failed. A part that cannot be decoded fails and is an address like any. */
  function onUnmatched(response: ServerResponse, error: unknown): void {
    if (error === undefined || error === null || error instanceof URIError) {
      measures.count("not_found")
      sendAnswer(response, answers.notFound)
    } else {
      onFailed(response, error)
    }
  }

  function onFailed(response: ServerResponse, error: unknown): void {
    log.error({ error }, "a request failed unexpectedly")
    if (response.headersSent) response.destroy()
    else sendAnswer(response, answers.broken)
  }

  const onRequest = lineUp({
    maxOutstanding,
    stopping,
    onRefused: () => measures.count("unavailable"),
    onRequest: refuseLargeBody(
      () => measures.count("too_large"),
      (request, response) => {
        request.url = request.url?.replace(origin, "")
        if (!request.url?.startsWith("/")) return onUnmatched(response, undefined)
        app(request as Request, response as Response, (error: unknown) => onUnmatched(response, error))
      },
    ),
  })
  return { onRequest, messages: expressMessages(app) }
}
