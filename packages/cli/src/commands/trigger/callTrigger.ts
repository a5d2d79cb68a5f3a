import { describeNetworkError } from "../../errors/describeNetworkError.ts"

export type TriggerCall = {
  number: number
  /** Null if there was no response; `error` then states why. */
  status: number | null
  ms: number
  error: string | null
  retry_after: string | null
}

const timeoutMs = 15_000

/** Sends an empty POST, as a partner does. The result does not contain the URL, which is a secret. */
export async function callTrigger(triggerUrl: string, number: number): Promise<TriggerCall> {
  const start = performance.now()
  const elapsed = () => Math.round((performance.now() - start) * 10) / 10
  try {
    const response = await fetch(triggerUrl, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    })
    const ms = elapsed()
    // A connection with an unread body cannot be reused for the next calls.
    await response.body?.cancel()
    const retry_after = response.headers.get("retry-after")
    return { number, status: response.status, ms, error: null, retry_after }
  } catch (error) {
    return { number, status: null, ms: elapsed(), error: describeNetworkError(error), retry_after: null }
  }
}
