import { setTimeout as sleep } from "node:timers/promises"
import { problem } from "../../../http/problems.ts"
import type { Problem } from "../../../http/response.ts"
import type { ApiContext } from "../../implement.ts"

const claimWithinMs = 5_000
const finishWithinMs = 15_000
const pollMs = 50

type Ended = { kind: "done"; address: string; report: unknown; finished_at: Date }

/** By the check's id. Repetitions of a request wait together, so that they do not multiply the polls. */
const waits = new Map<string, Promise<Ended | Problem>>()

/** Waits until a dispatcher has sent the one request of a test delivery or of a challenge. */
export function waitForCheck(prisma: ApiContext["prisma"], id: string): Promise<Ended | Problem> {
  const wait = waits.get(id) ?? poll(prisma, id).finally(() => waits.delete(id))
  waits.set(id, wait)
  return wait
}

async function poll(prisma: ApiContext["prisma"], id: string): Promise<Ended | Problem> {
  const startedAt = performance.now()
  for (;;) {
    const row = await prisma.receiverCheck.findUnique({
      where: { id },
      select: { state: true, address: true, report: true, error: true, finished_at: true },
    })
    if (row === null) return problem("test-unfinished", "The channel was deleted, and its test with it.")
    const { state, address, report, error, finished_at } = row
    if (state === "done" && finished_at) return { kind: "done", address, report, finished_at }
    if (state === "failed")
      return problem(error === notClaimed ? "no-dispatcher" : "test-unfinished", error ?? "")
    const waitedMs = performance.now() - startedAt
    if (state === "waiting" && waitedMs > claimWithinMs) {
      // Only if it still waits, so that a dispatcher that claims it right now can finish it.
      await prisma.receiverCheck.updateMany({
        where: { id, state: "waiting" },
        data: { state: "failed", error: notClaimed, finished_at: new Date() },
      })
    } else if (waitedMs > finishWithinMs) {
      return problem("test-unfinished", unfinished)
    }
    await sleep(pollMs)
  }
}

const notClaimed =
  "No webhook-dispatcher has claimed the test delivery within 5 seconds, so nothing was sent. Check that one is running and is not older than this console, and try again."

const unfinished =
  "A webhook-dispatcher has begun to send the test delivery, but has not reported an outcome within 15 seconds. It may have been killed, or its DELIVERY_TIMEOUT is longer. Try again."
