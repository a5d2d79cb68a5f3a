import ipaddr from "ipaddr.js"
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible"
import { problem } from "../api/problems.ts"
import type { Problem } from "../api/response.ts"

export type SignInLimit = {
  /** Counts an attempt. A problem, with the seconds to wait, if too many have failed. */
  begin(address: string): Promise<{ problem: Problem; seconds: number } | null>
  /** The attempt succeeded, or something else than the client failed, so it does not count. */
  uncount(address: string): Promise<void>
}

/**
 * Limits failed sign-ins. Every console counts for itself. An attempt counts before it is checked, so that parallel
 * attempts cannot exceed the limit.
 */
export function limitSignIns(): SignInLimit {
  const inTotal = new RateLimiterMemory({ points: 100, duration: 60 })
  const ofAddress = new RateLimiterMemory({ points: 10, duration: 600 })
  return {
    async begin(address) {
      const network = networkOf(address)
      // The address first: one that has reached its own limit must not use up the limit of all.
      let wait = await consume(ofAddress, network)
      if (wait === null) {
        wait = await consume(inTotal, "all")
        if (wait === null) return null
        await ofAddress.reward(network)
      }
      const seconds = Math.max(1, Math.ceil(wait / 1000))
      const detail = `Too many sign-ins have failed. Try again in ${seconds} seconds.`
      return { problem: problem("too-many-sign-ins", detail), seconds }
    },
    async uncount(address) {
      await Promise.all([ofAddress.reward(networkOf(address)), inTotal.reward("all")])
    },
  }
}

/** Null, or for how many milliseconds the limit is reached. */
async function consume(limiter: RateLimiterMemory, key: string): Promise<number | null> {
  try {
    await limiter.consume(key)
    return null
  } catch (error) {
    if (error instanceof RateLimiterRes) return error.msBeforeNext
    throw error
  }
}

/** One customer of a provider has a whole /64 network of IPv6. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString()
}
