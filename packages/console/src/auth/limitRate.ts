import type { RequestHandler } from "express"
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible"
import { problem } from "../api/problems.ts"
import { sendProblem } from "../api/server/sendResponse.ts"

/** Limits the requests of each API key. Every console counts for itself. Runs after `authenticate`. */
export function limitRate(perMinute: number): RequestHandler {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return async (_request, response, next) => {
    try {
      await limiter.consume(response.locals.apiKey)
      next()
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const seconds = Math.ceil(error.msBeforeNext / 1000)
      response.setHeader("retry-after", String(seconds))
      const detail = `This API key may send ${perMinute} requests a minute. Try again in ${seconds} seconds.`
      sendProblem(response, problem("too-many-requests", detail))
    }
  }
}
