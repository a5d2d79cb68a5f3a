import type { IncomingHttpHeaders } from "node:http"
import {
  createReceiver,
  type HandlerOptions,
  type HandlerSecrets,
  type OnSiteReady,
} from "./receiver/createReceiver.ts"

/** What this plugin uses of a request of Fastify. */
export type FastifyRequest = { readonly headers: IncomingHttpHeaders; body: unknown }

type Reply = {
  code(status: number): { headers(values: Record<string, string>): { send(body?: unknown): unknown } }
}
type Done = (error: null, body: Buffer) => void
type Instance = {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (request: unknown, body: Buffer, done: Done) => void,
  ): unknown
  post(path: string, handler: (request: FastifyRequest, reply: Reply) => Promise<unknown>): unknown
}

/**
 * A plugin for Fastify that serves `POST /` below the prefix with which it is registered. Its parser keeps the raw bytes; the
 * parsers of other routes stay as they are.
 *
 * - `secrets`: the channel's signing secrets, or a function that returns them.
 * - `onSiteReady`: gets each genuine event, and the request for its headers.
 *
 * Responds 204; 401 or 400 with the fault; 413 to a body over the limit. A fault of the receiver is thrown.
 */
export function fastifyPlugin(
  secrets: HandlerSecrets,
  onSiteReady: OnSiteReady<FastifyRequest>,
  options?: HandlerOptions,
): (instance: Instance) => Promise<void> {
  const { limit, receive } = createReceiver(secrets, onSiteReady, options)
  return async (instance) => {
    instance.removeAllContentTypeParsers()
    const parse = (_request: unknown, body: Buffer, done: Done) => done(null, body)
    instance.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: limit }, parse)
    instance.post("/", async (request, reply) => {
      // Fastify calls no parser for a request without a body.
      const bytes = (request.body ?? new Uint8Array()) as Uint8Array
      const { status, headers, body } = await receive(bytes, request.headers, request)
      return reply
        .code(status)
        .headers({ ...headers })
        .send(body)
    })
  }
}
