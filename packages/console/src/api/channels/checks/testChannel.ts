import { setTimeout as sleep } from "node:timers/promises"
import { type TestDelivery, testDeliverySchema } from "@sitewire/contracts"
import { z } from "zod"
import { nameOf } from "../../../auth/caller.ts"
import { newId } from "../../../newIds.ts"
import type { ApiContext } from "../../defineRoute.ts"
import { defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { notFound, problem } from "../../problems.ts"
import { ok, type Problem, type Success } from "../../response.ts"
import { lockChannel } from "../findChannel.ts"
import { checkRunning } from "./checkRunning.ts"

const claimWithinMs = 5_000
const finishWithinMs = 15_000
const pollMs = 50

export const testChannel = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/test",
  operation: "testChannel",
  summary: "Send a test delivery",
  allow: { operate: "all", channel: "own" },
  description:
    "Sends one delivery with fictional data to the channel's address, and returns what came back. It is signed as a genuine one and marked: `reference` is `sitewire-test`, and the header X-Sitewire-Test is `true`. It is sent even if the channel is paused or its circuit breaker is open. It is not retried, and not in the list of deliveries.",
  params: idParameter,
  success: { status: 200, description: "The attempt.", schema: testDeliverySchema },
  otherResponses: {
    409: "Another test delivery of the channel has not finished.",
    503: "No webhook-dispatcher has claimed the test within 5 seconds or finished it within 15 seconds, or the database is unavailable.",
  },
  async handle({ prisma }, { params: { id }, caller }) {
    const channel = await lockChannel(prisma, id, caller)
    if (!channel) return notFound("channel", id)
    const running = await checkRunning(prisma, id, "test")
    if (running) return running
    const check = await prisma.receiverCheck.create({
      data: {
        id: newId("tst"),
        channelId: id,
        kind: "test",
        address: channel.address,
        requestedBy: nameOf(caller),
      },
      select: { id: true },
    })
    const changes = { test: { old: null, new: check.id } }
    return ok({ check: check.id }, { audit: { target: { kind: "channel", id }, changes } })
  },
  async afterCommit({ prisma }, committed) {
    return waitForAttempt(prisma, committedSchema.parse(committed).check)
  },
})

const committedSchema = z.object({ check: z.string() })

async function waitForAttempt(
  prisma: ApiContext["prisma"],
  id: string,
): Promise<Success<TestDelivery> | Problem> {
  const startedAt = performance.now()
  for (;;) {
    const row = await prisma.receiverCheck.findUnique({
      where: { id },
      select: { state: true, report: true, error: true },
    })
    if (row === null) return problem("test-unfinished", "The channel was deleted, and its test with it.")
    if (row.state === "done") return ok(testDeliverySchema.parse(row.report))
    if (row.state === "failed")
      return problem(row.error === notClaimed ? "no-dispatcher" : "test-unfinished", row.error ?? "")
    const waitedMs = performance.now() - startedAt
    if (row.state === "waiting" && waitedMs > claimWithinMs) {
      // Only if it still waits, so that a dispatcher that claims it right now can finish it.
      await prisma.receiverCheck.updateMany({
        where: { id, state: "waiting" },
        data: { state: "failed", error: notClaimed, finishedAt: new Date() },
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
