import { alreadyRead } from "./receiver/alreadyRead.ts"
import { concatenate } from "./receiver/concatenate.ts"
import {
  createReceiver,
  type HandlerOptions,
  type HandlerSecrets,
  type OnSiteReady,
} from "./receiver/createReceiver.ts"

/**
 * A function from a Request to its Response, for Hono, route handlers of Next, Deno, Bun and edge runtimes.
 *
 * - `secrets`: the channel's signing secrets, or a function that returns them.
 * - `onSiteReady`: gets each genuine event, and the request for its headers.
 *
 * Responds 204; 401 or 400 with the fault; 413 to a body over the limit. A fault of the receiver is thrown.
 */
export function fetchHandler(
  secrets: HandlerSecrets,
  onSiteReady: OnSiteReady<Request>,
  options?: HandlerOptions,
): (request: Request) => Promise<Response> {
  const { limit, receive } = createReceiver(secrets, onSiteReady, options)
  return async (request) => {
    const bytes = await readBytes(request, limit)
    if (bytes === "too large") return new Response(null, { status: 413 })
    const { status, headers, body } = await receive(bytes, request.headers, request)
    const init = { status, headers: { ...headers } }
    return body === undefined ? new Response(null, init) : Response.json(body, init)
  }
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array | "too large"> {
  if (request.bodyUsed) throw alreadyRead()
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return concatenate(chunks)
    size += value.length
    // Not cancelled: a server may then close the connection before the sender has read the response.
    if (size > limit) return "too large"
    chunks.push(value)
  }
}
