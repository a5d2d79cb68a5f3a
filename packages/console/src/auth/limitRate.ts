import type { RequestHandler } from "express"
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible"
import { problem } from "../api/problems.ts"
import type { Problem } from "../api/response.ts"
import { sendProblem } from "../api/server/sendResponse.ts"

/** Counts a request of an API key or a user. A problem if there were too many. */
export type CountRequest = (keyId: string) => Promise<Problem | null>

/** Every console counts for itself. */
export function countRequests(perMinute: number): CountRequest {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return async (keyId) => {
    try {
      await limiter.consume(keyId)
      return null
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const retryAfterSeconds = Math.ceil(error.msBeforeNext / 1000)
      const detail = `This API key may send ${perMinute} requests a minute. Try again in ${retryAfterSeconds} seconds.`
      return { ...problem("too-many-requests", detail), retryAfterSeconds }
    }
  }
}

/** Limits the requests of each API key. Runs after `authenticate`. */
export function limitRate(countRequest: CountRequest): RequestHandler {
  return async (_request, response, next) => {
    const tooMany = await countRequest(response.locals.apiKey)
    if (tooMany) sendProblem(response, tooMany)
    else next()
  }
}
