import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Problem } from "@sitewire/contracts"
import { confidentialResponse } from "@sitewire/runtime"

export type FixedResponse = { status: number; headers: Record<string, string | number>; body: string }

function problem(
  status: number,
  title: string,
  detail: string,
  headers: Record<string, string> = {},
): FixedResponse {
  const body = `${JSON.stringify({ type: "about:blank", title, status, detail } satisfies Problem)}\n`
  const all = {
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(body),
    // For somebody who opens a trigger URL in a browser.
    ...confidentialResponse,
    ...headers,
  }
  return { status, headers: all, body }
}

/** Built once, so that no part of a request can get into a response. X-Request-Id is added. */
export const responses = {
  /** The same 404 for every cause, so that callers cannot find out which connections exist. */
  notFound: problem(
    404,
    "Not Found",
    "This is not a valid trigger URL. Ask the owner of the site for the connection's current trigger URL.",
  ),
  methodNotAllowed: problem(405, "Method Not Allowed", "Call the trigger URL with POST.", { allow: "POST" }),
  notOneHost: problem(400, "Bad Request", "HTTP/1.1 requires one Host header. Send exactly one."),
  chunkedHttp10: problem(
    400,
    "Bad Request",
    "HTTP/1.0 does not support chunked bodies. Send a Content-Length, or use HTTP/1.1.",
  ),
  bodyTooLarge: problem(
    413,
    "Content Too Large",
    "The body is larger than 1024 bytes. A trigger needs no body: call again without one.",
  ),
  internalError: problem(500, "Internal Server Error", "The trigger was not accepted. Call again."),
  unavailable: problem(503, "Service Unavailable", "The trigger was not accepted. Call again in 5 seconds.", {
    "retry-after": "5",
  }),
} as const

/** `requestId`: for X-Request-Id. It must not depend on the request, so that all 404s are alike. */
export function sendResponse(response: ServerResponse, fixed: FixedResponse, requestId?: string): void {
  writeHead(response, fixed, requestId).end(fixed.body)
}

function writeHead(
  response: ServerResponse,
  { status, headers }: FixedResponse,
  requestId: string = randomUUID(),
): ServerResponse {
  return response.writeHead(status, { ...headers, "x-request-id": requestId })
}

const mostDiscardedBytes = 4 * 1024 * 1024
const silentMs = 5_000

/**
 * Responds before the body has arrived, and closes the connection when it has, because a client that sends its whole body first would
 * otherwise lose the response. It is closed earlier after 4 MiB, or if the client is silent for 5 s.
 */
export function sendLastResponse(
  request: IncomingMessage,
  response: ServerResponse,
  fixed: FixedResponse,
): void {
  response.shouldKeepAlive = false
  response.cork()
  writeHead(response, fixed).write(fixed.body)
  response.uncork()
  const end = () => response.end()
  let left = mostDiscardedBytes
  request
    .on("data", (chunk: Buffer) => {
      left -= chunk.byteLength
      if (left < 0) end()
    })
    .on("end", end)
    // Without this listener, a client that disconnects would end the process.
    .on("error", () => {})
  request.socket.setTimeout(silentMs)
}

export function sendAccepted(response: ServerResponse, correlation: string): void {
  response.writeHead(202, { "x-request-id": correlation, "content-length": 0 }).end()
}
