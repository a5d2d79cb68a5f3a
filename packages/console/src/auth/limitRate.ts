import { setTimeout as sleep } from "node:timers/promises"
import { sha256 } from "@sitewire/contracts"
import type { Logger } from "@sitewire/runtime"
import type { Response } from "express"
import ipaddr from "ipaddr.js"
import { problem } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"
import { belongsToPartner } from "./caller.ts"
import { limitExpensive } from "./limitExpensive.ts"

/** A request waits for its turn for so long at most. With a turn every 200 ms, a client that sends one after the other is never rejected. */
const longestWaitMs = 4_000
/** Secrets that are remembered. */
const mostRemembered = 10_000

export type RateSettings = {
  requestsPerMinute: number
  /** Of keys and users that are not of whoever runs the installation. */
  partnerRequestsPerMinute: number
  /** How long a rejected request waits for its response. */
  rejectAfterMs?: number
  /** At most one log line for each API key and user in this time. */
  reportEveryMs?: number
}

/** An API key or a user. */
type Sender = { id: string; scopes: readonly string[] }

/**
 * Finds who has sent a secret (an API key, a session's token or a sign-in link) by `find`, when it is the sender's turn. A
 * problem if that would take too long: the request is rejected then.
 *
 * Whose secret it was the last time is remembered, so that a request waits or is rejected before `find` asks Postgres. It is
 * never a reason to accept one: a key that was revoked is rejected at once. Secrets that are not remembered are looked up one at a
 * time, and those of an address one after the other, because each costs a query and nobody may have them. The response to one that
 * nobody has is delayed.
 */
export type TakeTurn = <Found extends Sender | Problem | null>(
  response: Response,
  secret: string | null,
  find: () => Promise<Found>,
) => Promise<Found | Problem>

type Limit = { id: string; perMinute: number }

export type RateLimit = { takeTurn: TakeTurn; slowDown: SlowDown }

/** Limits the requests of each API key and user. Every console limits for itself. */
export function limitRate(
  {
    requestsPerMinute,
    partnerRequestsPerMinute,
    rejectAfterMs = 1_000,
    reportEveryMs = 60_000,
  }: RateSettings,
  log: Logger,
): RateLimit {
  const reserveTurn = reserveTurns(longestWaitMs)
  const slowDown = slowDownRejected(rejectAfterMs)
  const lookUps = limitExpensive(1)
  /** By the digest of the secret. */
  const limits = new Map<string, Limit>()
  /** Rejected requests since the last report. */
  const rejected = new Map<string, number>()

  function remember(digest: string, { id, scopes }: Sender): Limit {
    const limit = {
      id,
      perMinute: belongsToPartner(scopes) ? partnerRequestsPerMinute : requestsPerMinute,
    }
    limits.delete(digest)
    const [oldest] = limits.size >= mostRemembered ? limits.keys() : []
    if (oldest !== undefined) limits.delete(oldest)
    limits.set(digest, limit)
    return limit
  }

  /** Not a line for each, because these lines would cost more than the rejections, and fill the log. */
  function countRejected(apiKey: string): void {
    if (rejected.size === 0) setTimeout(reportRejected, reportEveryMs).unref()
    rejected.set(apiKey, (rejected.get(apiKey) ?? 0) + 1)
  }

  function reportRejected(): void {
    for (const [apiKey, requests] of rejected)
      log.warn(
        { apiKey, requests },
        "requests were rejected, because there were more than an API key may send",
      )
    rejected.clear()
  }

  async function waitForTurn(
    response: Response,
    { id, perMinute }: Limit,
  ): Promise<Problem | { kind: "turn"; waitMs: number }> {
    const waitMs = reserveTurn(id, perMinute)
    if (waitMs <= longestWaitMs) {
      if (waitMs > 0) await sleep(waitMs)
      // For a client that has gone meanwhile, Postgres is not asked.
      if (!response.destroyed) return { kind: "turn", waitMs }
    } else {
      response.locals.rejected = true
      countRejected(id)
      await slowDown(response)
    }
    const retryAfterSeconds = Math.max(1, Math.ceil((waitMs - longestWaitMs) / 1_000))
    const detail =
      `This API key may send ${perMinute} requests a minute, and too many of its requests wait for their turn. ` +
      `Send one after the other, or try again in ${retryAfterSeconds} seconds.`
    return { ...problem("too-many-requests", detail), retryAfterSeconds }
  }

  const takeTurn: TakeTurn = async (response, secret, find) => {
    if (secret === null) return find()
    const digest = sha256(secret).toString("base64")
    const known = limits.get(digest)
    const early = known && (await waitForTurn(response, known))
    if (early?.kind === "problem") return early
    const found = known ? await find() : await lookUps.runAlways(networkOf(response.req.ip ?? ""), find)
    if (found === null || "kind" in found) {
      if (!known) await slowDown(response)
      return found
    }
    const limit = remember(digest, found)
    if (known) return found
    const turn = await waitForTurn(response, limit)
    if (turn.kind === "problem") return turn
    // The key may have been revoked meanwhile.
    return turn.waitMs > 0 ? find() : found
  }

  return { takeTurn, slowDown }
}

/** Turns that an id gets at once: about what a page of the web console sends together. */
const atOnce = 10
const forgetThreshold = 10_000

/** Returns in how many milliseconds the turn is. */
type ReserveTurn = (id: string, perMinute: number) => number

/**
 * Spreads the requests of each id: `atOnce` at once, and then one every `60_000 / perMinute` milliseconds. If they were only
 * counted for each minute, all of a minute could come in its first second, and delay everybody else in it. A turn that is
 * later than `longestWaitMs` is not reserved.
 */
export function reserveTurns(longestWaitMs: number, now = () => performance.now()): ReserveTurn {
  /** When each id has all its turns at once again. */
  const restored = new Map<string, number>()
  let forgetFrom = forgetThreshold

  function forgetRestored(at: number): void {
    for (const [id, time] of restored) if (time <= at) restored.delete(id)
    forgetFrom = Math.max(forgetThreshold, 2 * restored.size)
  }

  return (id, perMinute) => {
    const at = now()
    const everyMs = 60_000 / perMinute
    const restoredAt = Math.max(restored.get(id) ?? 0, at) + everyMs
    const waitMs = Math.max(0, restoredAt - at - Math.min(atOnce, perMinute) * everyMs)
    if (waitMs > longestWaitMs) return waitMs
    if (restored.size >= forgetFrom) forgetRestored(at)
    restored.set(id, restoredAt)
    return waitMs
  }
}

/** Each needs a socket, and some 20 KB of memory. */
const mostWaiting = 1_000

type SlowDown = (response: Response) => Promise<void>

/**
 * Delays responses to requests that are rejected because there were too many. Otherwise, a client that repeats them without
 * a pause would use as much CPU time for the rejections as for the requests. If too many wait, the connection is closed
 * instead, after the response.
 */
export function slowDownRejected(ms: number): SlowDown {
  let waiting = 0
  return async (response) => {
    if (waiting >= mostWaiting) {
      response.setHeader("connection", "close")
      return
    }
    waiting++
    await sleep(ms)
    waiting--
  }
}

/** One customer of a provider has a whole /64 network of IPv6. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString()
}
