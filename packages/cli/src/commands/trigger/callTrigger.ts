import { z } from "zod"
import { describeNetworkError } from "../../errors/describeNetworkError.ts"

export const triggerCallSchema = z
  .object({
    number: z.int(),
    /** Null if there was no response; `error` then states why. */
    status: z.int().nullable(),
    ms: z.number(),
    error: z.string().nullable(),
    retry_after: z.string().nullable(),
  })
  .meta({ id: "TriggerCall" })

export type TriggerCall = z.infer<typeof triggerCallSchema>

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
