import { randomBytes } from "node:crypto"
import { type ChallengeReport, newDeliveryId } from "@sitewire/contracts"
import { type Logger, reasonOf, repeatUntilClosed } from "@sitewire/runtime"
import { testSiteReadyBody } from "@sitewire/signing/certification"
import type { Check } from "./claimChecks.ts"
import type { CheckedReceiver, ReceiverOf } from "./receiver.ts"
import { sendTestDelivery } from "./sendTestDelivery.ts"
import type { CheckEnd, CheckStore } from "./storeCheck.ts"

const maxChecks = 32

/** The part of a lease for storing the report. The rest is the time limit of a request. */
const storeWithinMs = 5_000

/** Runs the test deliveries and challenges that the console has stored. */
export function runChecks(settings: {
  store: CheckStore
  receiverOf: ReceiverOf
  timeoutMs: number
  pollIntervalMs: number
  /** Aborts requests in flight and the polling. */
  closing: AbortController
  log: Logger
}): { close(): Promise<void> } {
  const { store, receiverOf, timeoutMs, pollIntervalMs, closing, log } = settings
  const { signal } = closing
  const leaseMs = timeoutMs + storeWithinMs
  const running = new Map<Check, Promise<void>>()

  async function claim(): Promise<void> {
    const limit = maxChecks - running.size
    if (limit <= 0) return
    for (const check of await store.claim({ limit, leaseMs })) {
      running.set(
        check,
        run(check).finally(() => running.delete(check)),
      )
    }
  }

  async function run(check: Check): Promise<void> {
    const { id, kind, channel } = check
    try {
      const receiver = openReceiver(check)
      const end = receiver ? await runToEnd(check, receiver) : unopened
      await store.finish(check, end)
      log.info({ check: id, kind, channel: channel.id, state: end.state }, "receiver checked")
    } catch (error) {
      if (signal.aborted) {
        await store.release(check).catch(() => {})
        return
      }
      log.error(
        { check: id, kind, channel: channel.id, error },
        "a check of a receiver was interrupted; it is repeated when its lease ends",
      )
    }
  }

  function openReceiver(check: Check): CheckedReceiver | null {
    try {
      return receiverOf(check)
    } catch (error) {
      log.warn(
        { check: check.id, reason: reasonOf(error) },
        "a check needs a signing secret that cannot be decrypted",
      )
      return null
    }
  }

  async function runToEnd(check: Check, receiver: CheckedReceiver): Promise<CheckEnd> {
    if (check.kind === "address_change")
      return { state: "done", report: await sendChallenge(check, receiver) }
    const report = await sendTestDelivery(check, receiver)
    return report === null ? noOtherSecret : { state: "done", report }
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

const unopened: CheckEnd = {
  state: "failed",
  error:
    "The dispatcher cannot decrypt the channel's signing secret, because its SEALING_KEYS lacks the key. Correct the variable, and request the check again.",
}

const noOtherSecret: CheckEnd = {
  state: "failed",
  error: "The channel has no other secret any more, so nothing was sent.",
}

/**
 * Sends a test delivery with a random challenge in a header. Who runs the receiver agrees to get the channel's deliveries by
 * returning it in the same header of a 2xx response. It is stored nowhere: a check that is claimed again sends another one.
 */
async function sendChallenge({ channel }: Check, receiver: CheckedReceiver): Promise<ChallengeReport> {
  const delivery = { id: newDeliveryId(), attempt: 1, body: testSiteReadyBody(channel.id) }
  const challenge = randomBytes(32).toString("base64url")
  const { challengeHeader } = receiver
  const headers = { ...receiver.genuineHeaders(delivery), [challengeHeader]: challenge }
  const { response, received } = await receiver.send(delivery, headers)
  const { status, error } = response
  const isReturned = received[challengeHeader.toLowerCase()] === challenge
  return { status, error: error ?? (isReturned ? null : "not-returned") }
}
