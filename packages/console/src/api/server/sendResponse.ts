import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Problem as ProblemDocument } from "@sitewire/contracts"
import { nodeHttp } from "@sitewire/runtime"
import type { Response } from "express"
import type { Answer, Problem } from "../response.ts"

/** Sends what a handler returned; `status` is the route's own for a success. */
export async function sendAnswer(response: Response, status: number, answer: Answer): Promise<void> {
  if (answer.kind === "problem") return sendProblem(response, answer)
  if (answer.kind === "other") {
    response.status(answer.status).json(answer.body)
    return
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value)
  if (answer.kind === "ok") {
    response.status(status).json(answer.body)
    return
  }
  response.status(answer.status)
  if (answer.chunks === null) response.end()
  else await pipeline(Readable.from(answer.chunks, { objectMode: false }), response)
}

/** RFC 9457. `title` is the status's own phrase, as for every problem whose type is about:blank. */
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
