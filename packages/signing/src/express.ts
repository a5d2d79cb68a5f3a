import type { IncomingMessage, ServerResponse } from "node:http"
import {
  createReceiver,
  type HandlerOptions,
  type HandlerSecrets,
  type OnSiteReady,
} from "./receiver/createReceiver.ts"
import { readRawBody } from "./receiver/readRawBody.ts"

/**
 * A handler for Express 4 and 5, and for `node:http`. It reads the body itself, so put it before every body parser.
 *
 * - `secrets`: the channel's signing secrets, or a function that returns them.
 * - `onSiteReady`: gets each genuine event, and the request for its headers.
 *
 * Responds 204; 401 or 400 with the fault; 413 to a body over the limit. A fault of the receiver goes to `next`.
 */
export function expressHandler(
  secrets: HandlerSecrets,
  onSiteReady: OnSiteReady<IncomingMessage>,
  options?: HandlerOptions,
): (request: IncomingMessage, response: ServerResponse, next: (error: unknown) => void) => Promise<void> {
  const { limit, receive } = createReceiver(secrets, onSiteReady, options)
  return async (request, response, next) => {
    try {
      const bytes = await readRawBody(request, limit)
      if (bytes === "aborted") return
      if (bytes === "too large") return respond(response, 413, {})
      const { status, headers, body } = await receive(bytes, request.headers, request)
      respond(response, status, headers, body)
    } catch (error) {
      next(error)
    }
  }
}

function respond(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body?: object,
): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (body === undefined) return void response.end()
  response.setHeader("Content-Type", "application/json")
  response.end(JSON.stringify(body))
}
