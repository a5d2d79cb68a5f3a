import type { PointFinding } from "@sitewire/contracts"
import { type Logger, reasonOf, repeatUntilClosed } from "@sitewire/runtime"
import { certify } from "@sitewire/signing/certification"
import type { Check } from "./check.ts"
import type { CheckedReceiver, ReceiverOf } from "./receiver.ts"
import { sendChallenge } from "./sendChallenge.ts"
import { sendTestDelivery } from "./sendTestDelivery.ts"
import type { CheckEnd, CheckStore } from "./storeCheck.ts"

/**
 * Limits of their own, so that test deliveries and challenges, which are one request, never wait for certifications, which can
 * take minutes.
 */
const maxTests = 32
const maxCertifications = 16

/** The part of a lease for storing a finding. The rest is the time limit of a request. */
const storeWithinMs = 5_000

/** Runs the test deliveries, certifications and challenges that the console has stored. */
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
    const certifying = [...running.keys()].filter(({ kind }) => kind === "certification").length
    const tests = maxTests - (running.size - certifying)
    const certifications = maxCertifications - certifying
    if (tests <= 0 && certifications <= 0) return
    for (const check of await store.claim({ tests, certifications, leaseMs })) {
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
      if (end) await store.finish(check, end)
      log.info({ check: id, kind, channel: channel.id, state: end?.state ?? "lost" }, "receiver checked")
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

  /** Null: another process has claimed the check meanwhile. */
  async function runToEnd(check: Check, receiver: CheckedReceiver): Promise<CheckEnd | null> {
    if (check.kind === "test") return { state: "done", report: await sendTestDelivery(check, receiver) }
    if (check.kind === "address_change")
      return { state: "done", report: await sendChallenge(check, receiver) }
    const points: PointFinding[] = []
    for await (const point of certify(receiver, timeoutMs)) {
      points.push(point)
      const saved = await store.save(check, { report: { points }, leaseMs })
      if (saved === "lost") return null
      if (saved === "secrets-changed") return secretsChanged
    }
    const result = points.some((point) => point.result === "failed") ? "failed" : "passed"
    return { state: "done", report: { result, points } }
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

const secretsChanged: CheckEnd = {
  state: "failed",
  error: "The channel's signing secrets were changed meanwhile. Request the certification again.",
}
