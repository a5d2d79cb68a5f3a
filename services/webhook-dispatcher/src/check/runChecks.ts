import { randomBytes } from "node:crypto"
import { type ChallengeReport, newDeliveryId, type TestDelivery } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { Channel } from "@sitewire/deliveries"
import { type Logger, type RetryStatement, reasonOf, repeatUntilClosed } from "@sitewire/runtime"
import { createRedact, testSiteReadyBody } from "@sitewire/signing/certification"
import { type ChannelOpener, otherAsActive } from "../send/secrets.ts"
import type { SendRequest } from "../send/sendRequest.ts"
import { type Check, type CheckEnd, claimChecks, finishCheck, releaseCheck } from "./checks.ts"

const maxChecks = 32

/** The rest of a lease is the time limit of a request. */
const storeWithinMs = 5_000

const excerptMs = 250

export function runChecks(settings: {
  sql: Sql
  /** Reports are stored again while Postgres is unavailable. A claim is not, because the next poll repeats it. */
  retry: RetryStatement
  opener: ChannelOpener
  send: SendRequest
  serviceName: string
  timeoutMs: number
  pollIntervalMs: number
  log: Logger
}): { close(): Promise<void> } {
  const { sql, retry, opener, send, serviceName, timeoutMs, pollIntervalMs, log } = settings
  const closing = new AbortController()
  const { signal } = closing
  const leaseMs = timeoutMs + storeWithinMs
  const { sendTest, sendChallenge } = createSendTest({ send, serviceName, signal })
  const running = new Map<Check, Promise<void>>()

  async function claim(): Promise<void> {
    const limit = maxChecks - running.size
    if (limit <= 0) return
    for (const check of await claimChecks(sql, { limit, leaseMs, sealNew: opener.sealNew })) {
      running.set(
        check,
        run(check).finally(() => running.delete(check)),
      )
    }
  }

  async function run(check: Check): Promise<void> {
    const { id, kind, channel } = check
    try {
      const secrets = openSecrets(check)
      const end = secrets ? await runToEnd(check, createRedact(secrets)) : unopened
      await retry("finish a check", () => finishCheck(sql, check, end))
      log.info({ check: id, kind, channel: channel.channel_id, state: end.state }, "receiver checked")
    } catch (error) {
      if (signal.aborted) {
        await releaseCheck(sql, check).catch(() => {})
        return
      }
      log.error(
        { check: id, kind, channel: channel.channel_id, error },
        "a check of a receiver was interrupted; it is repeated when its lease ends",
      )
    }
  }

  function openSecrets({ id, channel }: Check): string[] | null {
    try {
      opener.openHeaders(channel)
      const active = opener.openSecret(channel)
      const other = otherAsActive(channel)
      return other ? [active, opener.openSecret(other)] : [active]
    } catch (error) {
      log.warn(
        { check: id, reason: reasonOf(error) },
        "a check needs a signing secret that cannot be decrypted",
      )
      return null
    }
  }

  async function runToEnd({ kind, channel }: Check, redact: (text: string) => string): Promise<CheckEnd> {
    if (kind === "address_change") return { state: "done", report: await sendChallenge(channel) }
    if (kind === "test") return { state: "done", report: await sendTest(channel, redact) }
    const other = otherAsActive(channel)
    return other ? { state: "done", report: await sendTest(other, redact) } : noOtherSecret
  }

  const polling = repeatUntilClosed({
    step: claim,
    intervalMs: pollIntervalMs,
    failed: "checks of receivers could not be claimed; the next poll repeats it",
    log,
    closing,
  })
  return {
    /** Releases what is running, so that another dispatcher continues with it at once. */
    async close(): Promise<void> {
      await polling.close()
      await Promise.all(running.values())
    },
  }
}

function createSendTest({
  send,
  serviceName,
  signal,
}: {
  send: SendRequest
  serviceName: string
  signal: AbortSignal
}) {
  async function sendFictional(channel: Channel, headers: Record<string, string> = {}) {
    const delivery = { id: newDeliveryId(), attempt: 1, body: testSiteReadyBody(channel.channel_id), channel }
    const marked = { ...headers, [`X-${serviceName}-Test`]: "true" }
    const outcome = await send(delivery, null, { headers: marked, signal })
    if (outcome === null) throw new Error("the process stops during a test request")
    return { delivery: delivery.id, ...outcome }
  }

  async function sendTest(channel: Channel, redact: (text: string) => string): Promise<TestDelivery> {
    const { delivery, excerpt: received, retryAfter: _, received: __, ...made } = await sendFictional(channel)
    const lines = [...(made.request_headers ?? "").matchAll(/^(.+?): (.*)$/gm)]
    const excerpt = await received?.within(excerptMs)
    return {
      delivery,
      attempt: {
        ...made,
        number: 1,
        started_at: made.started_at.toISOString(),
        request_headers: Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value])),
        secret_id: channel.secret_id,
        response_excerpt: excerpt?.length ? redact(excerpt.toString("utf8")) : null,
      },
    }
  }

  /** Who runs the receiver agrees to get the channel's deliveries by returning the random challenge in the same header. */
  async function sendChallenge(channel: Channel): Promise<ChallengeReport> {
    const challenge = randomBytes(32).toString("base64url")
    const header = `X-${serviceName}-Challenge`
    const { status, error, received } = await sendFictional(channel, { [header]: challenge })
    const isReturned = received?.[header.toLowerCase()] === challenge
    return { status, error: error ?? (isReturned ? null : "not-returned") }
  }

  return { sendTest, sendChallenge }
}

const unopened: CheckEnd = {
  state: "failed",
  error:
    "The channel's signing secret cannot be decrypted, because SEALING_KEYS lacks the key. Correct the variable, and request the check again.",
}

const noOtherSecret: CheckEnd = {
  state: "failed",
  error: "The channel has no other secret any more, so nothing was sent.",
}
