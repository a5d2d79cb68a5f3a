import express, { type RequestHandler } from "express"
import { problem } from "../response.ts"
import { sendProblem } from "./sendResponse.ts"

const limitBytes = 64 * 1024

/**
 * Reads a JSON body of at most 64 KiB. Compressed bodies are refused: nothing that is sent here needs it, and a small
 * body cannot become a large one.
 */
export function readBody(): RequestHandler[] {
  const requireJson: RequestHandler = (request, response, next) => {
    const empty = request.headers["content-length"] === "0"
    if (empty || request.is("application/json") !== false) {
      next()
      return
    }
    sendProblem(
      response,
      problem(415, 'The body must be JSON: send it with "Content-Type: application/json".'),
    )
  }
  return [
    requireJson,
    express.json({ limit: limitBytes, inflate: false, strict: false, type: "application/json" }),
  ]
}

/** What express.json reports, in our words: its own repeat pieces of the body. */
export const bodyFaults: Record<number, string> = {
  400: "The request cannot be read: its body is not JSON, was cut off, or its path is not encoded correctly.",
  413: `The body is larger than ${limitBytes} bytes, which is all that is read.`,
  415: "The body must be JSON in UTF-8, not compressed.",
}
