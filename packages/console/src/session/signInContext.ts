import type { SignInMethods } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import type { PrismaClient } from "@sitewire/database/prisma"
import { Counter, type Logger, type Registry } from "@sitewire/runtime"
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible"
import { networkOf, type RateLimit } from "../auth/limitRate.ts"
import { problem } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"
import type { OpenIdProvider } from "../oidc/openIdProvider.ts"
import type { ConsoleOrigin } from "./consoleOrigin.ts"
import type { SessionLimits } from "./sessions.ts"

type Method = "key" | "link" | "oidc"

export type SignInContext = RateLimit & {
  prisma: PrismaClient
  sql: Sql
  sealingKeys: SealingKeys
  consoleOrigin: ConsoleOrigin
  /** Null: OpenID Connect is not configured. */
  provider: OpenIdProvider | null
  methods: SignInMethods
  sessionLimits: SessionLimits
  /** Of rejected keys and links. A valid one is accepted whatever was rejected before it: nobody can guess 256 bits. */
  limitRejected: AddressLimit
  /** Of requests to the routes of OpenID Connect, which call the provider. */
  limitOpenId: AddressLimit
  count(method: Method, outcome: "accepted" | "rejected" | "limited" | "unavailable"): void
  log: Logger
}

export function createSignInContext(
  settings: Omit<SignInContext, "methods" | "limitRejected" | "limitOpenId" | "count"> & {
    /** Whether API keys, and links that they create, sign in. */
    withKey: boolean
    metrics: Registry
  },
): SignInContext {
  const { withKey, metrics, ...context } = settings
  const signIns = new Counter({
    name: "sitewire_console_sign_ins_total",
    help: "Sign-ins to the web console, by method and outcome.",
    labelNames: ["method", "outcome"],
    registers: [metrics],
  })
  return {
    ...context,
    methods: { key: withKey, oidc: context.provider !== null },
    limitRejected: limitAddress(10, 600, "Too many sign-ins have failed."),
    limitOpenId: limitAddress(60, 60, "Too many sign-ins have begun."),
    count: (method, outcome) => signIns.inc({ method, outcome }),
  }
}

/** Counts something of a client's address. A problem if it was too often. */
type AddressLimit = (address: string) => Promise<Problem | null>

/**
 * Limits an address, and nothing that addresses share: otherwise a few clients could lock out all others. Every console
 * counts for itself.
 */
function limitAddress(points: number, seconds: number, what: string): AddressLimit {
  const limiter = new RateLimiterMemory({ points, duration: seconds })
  return async (address) => {
    try {
      await limiter.consume(networkOf(address))
      return null
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      const detail = `${what} Try again in ${retryAfterSeconds} seconds.`
      return { ...problem("too-many-sign-ins", detail), retryAfterSeconds }
    }
  }
}
