import { Failure } from "../errors/failure.ts"

/** Null if the API responds with one of `statuses`, such as 403: the key may not read it. */
export async function orNull<T>(response: Promise<T>, statuses: readonly number[]): Promise<T | null> {
  try {
    return await response
  } catch (error) {
    if (error instanceof Failure && statuses.includes(error.problem?.status ?? 0)) return null
    throw error
  }
}
