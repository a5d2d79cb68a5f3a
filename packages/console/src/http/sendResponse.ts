import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { type Problem as ProblemDocument, problemCodes } from "@sitewire/contracts"
import type { Response } from "express"
import type { Problem, RouteResponse } from "./response.ts"

/** `status` is sent if the result is of the kind "ok". */
export async function sendResponse(response: Response, result: RouteResponse, status = 200): Promise<void> {
  if (result.kind === "problem") return sendProblem(response, result)
  if (result.kind === "alternative") {
    response.json(result.body)
    return
  }
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, value)
  if (result.kind === "stream") {
    const { chunks } = result
    response.status(result.status)
    if (chunks === null) response.end()
    else
      await pipeline(
        chunks instanceof Readable ? chunks : Readable.from(chunks, { objectMode: false }),
        response,
      )
    return
  }
  if (result.kind === "repeated") response.setHeader("idempotent-replayed", "true")
  response.status(result.kind === "repeated" ? result.status : status).json(result.body)
}

/** Sends a problem document (RFC 9457). Its type is the path of a page that explains the code. */
export function sendProblem(
  response: Response,
  { code, status, detail, errors, retryAfterSeconds = 5 }: Problem,
  more: object = {},
): void {
  if ((status === 503 || status === 429) && !response.hasHeader("retry-after"))
    response.setHeader("retry-after", String(retryAfterSeconds))
  const document: ProblemDocument = {
    type: `/problems/${code}`,
    code,
    title: problemCodes[code].title,
    status,
    detail,
    request_id: response.locals.requestId,
    ...(errors ? { errors } : {}),
    ...more,
  }
  response.status(status).setHeader("content-type", "application/problem+json")
  response.end(JSON.stringify(document))
}
