import type { IncomingMessage } from "node:http"
import {
  createReceiver,
  type HandlerOptions,
  type HandlerSecrets,
  type OnSiteReady,
} from "./receiver/createReceiver.ts"
import { readRawBody } from "./receiver/readRawBody.ts"

/** What this middleware uses of Koa's context. */
export type KoaContext = {
  readonly req: IncomingMessage
  status: number
  body: unknown
  set(headers: Record<string, string>): void
}

/**
 * A middleware for Koa. It reads the body itself, so put it before every body parser, on the route of the webhook.
 *
 * - `secrets`: the channel's signing secrets, or a function that returns them.
 * - `onSiteReady`: gets each genuine event, and the context for the request's headers.
 *
 * Responds 204; 401 or 400 with the fault; 413 to a body over the limit. A fault of the receiver is thrown.
 */
export function koaMiddleware<Context extends KoaContext = KoaContext>(
  secrets: HandlerSecrets,
  onSiteReady: OnSiteReady<Context>,
  options?: HandlerOptions,
): (context: Context) => Promise<void> {
  const { limit, receive } = createReceiver(secrets, onSiteReady, options)
  return async (context) => {
    const bytes = await readRawBody(context.req, limit)
    if (bytes === "aborted") return
    if (bytes === "too large") {
      context.status = 413
      return
    }
    const { status, headers, body } = await receive(bytes, context.req.headers, context)
    context.status = status
    context.set({ ...headers })
    if (body !== undefined) context.body = body
  }
}
