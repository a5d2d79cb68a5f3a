import type { ServerResponse } from "node:http"

/** Responds with a problem document (RFC 9457), which repeats nothing of the request. */
export function sendProblem(
  response: ServerResponse,
  problem: { status: number; title: string; detail: string; reason?: string },
): void {
  response.statusCode = problem.status
  response.setHeader("Content-Type", "application/problem+json")
  response.end(JSON.stringify({ type: "about:blank", ...problem }))
}
