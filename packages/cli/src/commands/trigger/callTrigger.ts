import { describeNetworkError } from "../../errors/describeNetworkError.ts"

/** One call of a trigger address: `status` null where no answer came, with `error` saying why. */
export type Trigger = {
  number: number
  status: number | null
  ms: number
  error: string | null
  retry_after: string | null
}

const timeoutMs = 15_000

/** An empty POST, as a partner sends it. Never rejects, and never tells the address: it holds the token. */
export async function callTrigger(address: string, number: number): Promise<Trigger> {
  const start = performance.now()
  const took = () => Math.round((performance.now() - start) * 10) / 10
  try {
    const answer = await fetch(address, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    })
    const ms = took()
    // Unread bodies would hold their connections, and the next calls could not use them.
    await answer.body?.cancel()
    return { number, status: answer.status, ms, error: null, retry_after: answer.headers.get("retry-after") }
  } catch (error) {
    return { number, status: null, ms: took(), error: describeNetworkError(error), retry_after: null }
  }
}
