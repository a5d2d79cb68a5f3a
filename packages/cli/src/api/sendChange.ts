import { randomUUID } from "node:crypto"
import { describeNetworkError, wasLost } from "../errors/describeNetworkError.ts"
import { Failure, failed } from "../errors/failure.ts"

/**
 * Sends a request that changes something. If the response to a POST is lost, sends the POST once more: for the same
 * Idempotency-Key, the API returns the first response again, or states how to replace a secret that it contained, and
 * does nothing twice. It has no such
 * key for PATCH and DELETE.
 */
export async function sendChange<T>(
  method: string,
  send: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const headers: Record<string, string> = method === "POST" ? { "Idempotency-Key": randomUUID() } : {}
  let why: string
  try {
    return await send(headers)
  } catch (error) {
    if (!isLost(error)) throw error
    why = describe(error)
  }
  if (method !== "POST") throw outcomeUnknown(why)
  try {
    return await send(headers)
  } catch (error) {
    if (isDecided(error)) throw error
    throw outcomeUnknown(`${why}; the repetition failed, too: ${describe(error)}`)
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Failure ? isFromProxy(error) : wasLost(error)
}

/** The API's problems have a code. Without one, the response is from a proxy, which may have forwarded the request. */
function isFromProxy({ problem }: Failure): boolean {
  return problem !== null && problem.code === undefined && [502, 503, 504].includes(problem.status)
}

/** With 429 or a 5xx, the API may not have looked for the first request. With another status, that one had no effect. */
function isDecided(error: unknown): boolean {
  const status = error instanceof Failure ? error.problem?.status : undefined
  return status !== undefined && status < 500 && status !== 429
}

function describe(error: unknown): string {
  if (!(error instanceof Failure)) return describeNetworkError(error)
  return `${isFromProxy(error) ? "a proxy" : "the API"} responded with status ${error.problem?.status}`
}

function outcomeUnknown(why: string): Failure {
  return failed(
    `The management API's response was lost: ${why}. The request may have taken effect. Before you repeat the command, ` +
      "see whether it did: sitewire audit list --after 10m (for a key without the scope admin: show or list what the " +
      "command changes).",
  )
}
