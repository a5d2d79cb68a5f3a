import ipaddr from "ipaddr.js"
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible"
import { problem } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"

/** Counts something of a client's address. A problem, with the seconds to wait, if it was too often. */
export type AddressLimit = (address: string) => Promise<{ problem: Problem; seconds: number } | null>

/**
 * Limits an address, and nothing that addresses share: otherwise a few clients could lock out all others. Every console
 * counts for itself.
 */
export function limitAddress(points: number, seconds: number, what: string): AddressLimit {
  const limiter = new RateLimiterMemory({ points, duration: seconds })
  return async (address) => {
    try {
      await limiter.consume(networkOf(address))
      return null
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const wait = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      const detail = `${what} Try again in ${wait} seconds.`
      return { problem: problem("too-many-sign-ins", detail), seconds: wait }
    }
  }
}

/** One customer of a provider has a whole /64 network of IPv6. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString()
}
