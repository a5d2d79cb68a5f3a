import type { ServerResponse } from "node:http"
import type { Problem } from "@sitewire/contracts"

type Answer = { status: number; headers: Record<string, string | number>; body: string }

function problem(
  status: number,
  title: string,
  detail: string,
  headers: Record<string, string> = {},
): Answer {
  const body = `${JSON.stringify({ type: "about:blank", title, status, detail } satisfies Problem)}\n`
  const all = {
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    ...headers,
  }
  return { status, headers: all, body }
}

/** Whole answers, made once: nothing of a request can get into them. */
export const answers = {
  /** For every address that is not valid, whatever is wrong with it. */
  notFound: problem(
    404,
    "Not Found",
    "Nothing is triggered at this address. Ask the owner of the site for the connection's current one.",
  ),
  method: problem(405, "Method Not Allowed", "A trigger is a POST.", { allow: "POST" }),
  noHost: problem(400, "Bad Request", "An HTTP/1.1 request names its host."),
  chunkedTooEarly: problem(
    400,
    "Bad Request",
    "HTTP/1.0 knows no chunks. Send a Content-Length, or HTTP/1.1.",
  ),
  tooLarge: problem(413, "Content Too Large", "A trigger needs no body; one of up to 1024 bytes is ignored."),
  broken: problem(500, "Internal Server Error", "The trigger was not accepted. Call again."),
  unavailable: problem(503, "Service Unavailable", "The trigger was not accepted. Call again in 5 seconds.", {
    "retry-after": "5",
  }),
} as const

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers).end(answer.body)
}

/** Ends the connection with this answer: nothing behind the request is taken (`lineUp`). */
export function sendLastAnswer(response: ServerResponse, answer: Answer): void {
  response.shouldKeepAlive = false
  sendAnswer(response, answer)
}

/** 202 without a body: there is nothing to say but the correlation, by which the sync can be found in the logs. */
export function sendAccepted(response: ServerResponse, correlation: string): void {
  response.writeHead(202, { "x-request-id": correlation, "content-length": 0 }).end()
}
