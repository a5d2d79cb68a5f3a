import { testDeliverySchema } from "@sitewire/contracts"
import { z } from "zod"
import { type Caller, nameOf } from "../../../auth/caller.ts"
import { newId } from "../../../newIds.ts"
import { type ApiContext, defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { notFound } from "../../problems.ts"
import { ok, type Problem, type Success } from "../../response.ts"
import { lockChannel } from "../findChannel.ts"
import { rotationConflict } from "../secret/rotationConflict.ts"
import { checkRunning } from "./checkRunning.ts"
import { waitForCheck } from "./waitForCheck.ts"

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
  handle: ({ prisma }, { params: { id }, caller }) => requestTest(prisma, { id, kind: "test", caller }),
  afterCommit: ({ prisma }, committed) => testResult(prisma, committed),
})

export const testSecret = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/secret/test",
  operation: "testSecret",
  summary: "Test the secret that is not active",
  allow: { operate: "all", channel: "own" },
  description:
    "Sends a test delivery that is signed only by the staged or retiring secret, and returns what came back. The channel's `other_secret` shows it, and a secret that was not accepted becomes active only by force.",
  params: idParameter,
  success: { status: 200, description: "The attempt.", schema: testDeliverySchema },
  otherResponses: {
    409: "There is no other secret, or another test of it has not finished.",
    503: testChannel.otherResponses?.[503] ?? "",
  },
  handle: ({ prisma }, { params: { id }, caller }) =>
    requestTest(prisma, { id, kind: "secret_test", caller }),
  afterCommit: ({ prisma }, committed) => testResult(prisma, committed),
})

type Prisma = ApiContext["prisma"]

async function requestTest(
  prisma: Prisma,
  { id, kind, caller }: { id: string; kind: "test" | "secret_test"; caller: Caller },
): Promise<Success<{ check: string }> | Problem> {
  const channel = await lockChannel(prisma, id, caller)
  if (!channel) return notFound("channel", id)
  if (kind === "secret_test" && channel.other_secret_id === null) return rotationConflict(prisma, id, "test")
  const running = await checkRunning(prisma, id, kind)
  if (running) return running
  const check = await prisma.receiverCheck.create({
    data: {
      id: newId("tst"),
      channel_id: id,
      kind,
      address: channel.address,
      requested_by: nameOf(caller),
    },
    select: { id: true },
  })
  const changes = { test: { old: null, new: check.id } }
  return ok({ check: check.id }, { audit: { target: { kind: "channel", id }, changes } })
}

async function testResult(prisma: Prisma, committed: unknown) {
  const ended = await waitForCheck(prisma, committedSchema.parse(committed).check)
  return ended.kind === "problem" ? ended : ok(testDeliverySchema.parse(ended.report))
}

const committedSchema = z.object({ check: z.string() })
