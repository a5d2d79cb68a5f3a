import type { ProblemCode } from "@sitewire/contracts"
import express, { type RequestHandler, type Response } from "express"
import { problem } from "./problems.ts"
import { sendProblem } from "./sendResponse.ts"

/** Reads a JSON body; its bytes are in `response.locals.bodyBytes`. Compressed bodies are rejected, because a small one could expand to a large one. */
export function readJsonBody(): RequestHandler[] {
  const requireJson: RequestHandler = (request, response, next) => {
    const empty = request.headers["content-length"] === "0"
    if (empty || request.is("application/json") !== false) {
      next()
      return
    }
    sendProblem(response, problem("unsupported-body"))
  }
  return [
    requireJson,
    express.json({
      limit: 64 * 1024,
      inflate: false,
      strict: false,
      type: "application/json",
      verify(_request, response, bytes) {
        ;(response as Response).locals.bodyBytes = bytes
      },
    }),
  ]
}

/** The problems of requests that express.json rejects, by status. Its own messages quote the body. */
export const bodyErrors: Record<number, ProblemCode> = {
  400: "unreadable-request",
  413: "body-too-large",
  415: "unsupported-body",
}
