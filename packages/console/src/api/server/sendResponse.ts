import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Problem as ProblemDocument } from "@sitewire/contracts"
import { nodeHttp } from "@sitewire/runtime"
import type { Response } from "express"
import type { Problem, RouteResponse } from "../response.ts"

/** `status` is sent if the result is of the kind "ok". All other results contain their own status. */
export async function sendResponse(response: Response, status: number, result: RouteResponse): Promise<void> {
  if (result.kind === "problem") return sendProblem(response, result)
  if (result.kind === "alternative") {
    response.status(result.status).json(result.body)
    return
  }
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, value)
  if (result.kind === "ok") {
    response.status(status).json(result.body)
    return
  }
  response.status(result.status)
  if (result.chunks === null) response.end()
  else await pipeline(Readable.from(result.chunks, { objectMode: false }), response)
}

/** Sends a problem document (RFC 9457). Its type is about:blank, so its title must be the status's phrase. */
export function sendProblem(response: Response, { status, detail, errors }: Problem): void {
  if (status === 503) response.setHeader("retry-after", "5")
  const document: ProblemDocument = {
    type: "about:blank",
    title: nodeHttp.STATUS_CODES[status] ?? "Error",
    status,
    detail,
    ...(errors ? { errors } : {}),
  }
  response.status(status).setHeader("content-type", "application/problem+json")
  response.end(JSON.stringify(document))
}
