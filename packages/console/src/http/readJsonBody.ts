import type { ProblemCode } from "@sitewire/contracts"
import express, { type RequestHandler, type Response } from "express"
import { problem } from "./problems.ts"
import { sendProblem } from "./sendResponse.ts"

const limitBytes = 64 * 1024

/** Reads a JSON body; its bytes are in `response.locals.bodyBytes`. Compressed bodies are rejected, because a small one could expand to a large one. */
export function readJsonBody(): RequestHandler[] {
  const requireJson: RequestHandler = (request, response, next) => {
    const empty = request.headers["content-length"] === "0"
    if (empty || request.is("application/json") !== false) {
      next()
      return
    }
    sendProblem(
      response,
      problem("unsupported-body", 'The body must be JSON: send it with "Content-Type: application/json".'),
    )
  }
  return [
    requireJson,
    express.json({
      limit: limitBytes,
      inflate: false,
      strict: false,
      type: "application/json",
      verify(_request, response, bytes) {
        ;(response as Response).locals.bodyBytes = bytes
      },
    }),
  ]
}

/** Replacements, by status, for the messages of express.json, which quote the body. */
export const bodyErrors: Record<number, { code: ProblemCode; detail: string }> = {
  400: {
    code: "unreadable-request",
    detail:
      "The request cannot be read: its body is not valid JSON or incomplete, or its path has an invalid % escape.",
  },
  413: {
    code: "body-too-large",
    detail: `The body is larger than ${limitBytes} bytes, the limit. Send less in one request.`,
  },
  415: { code: "unsupported-body", detail: "The body must be JSON in UTF-8, not compressed." },
}
