import { testDeliverySchema } from "@sitewire/contracts"
import { z } from "zod"
import { type Caller, nameOf } from "../../../auth/caller.ts"
import { notFound } from "../../../http/problems.ts"
import { ok, type Problem, type Success } from "../../../http/response.ts"
import { newId } from "../../../newIds.ts"
import { type ApiContext, implement } from "../../implement.ts"
import { lockChannel } from "../findChannel.ts"
import { rotationConflict } from "../secret/rotationConflict.ts"
import { checkRunning } from "./checkRunning.ts"
import { waitForCheck } from "./waitForCheck.ts"

export const testChannel = implement(
  "testChannel",
  ({ prisma }, { params: { id }, caller }) => requestTest(prisma, { id, kind: "test", caller }),
  ({ prisma }, committed) => testResult(prisma, committed),
)

export const testSecret = implement(
  "testSecret",
  ({ prisma }, { params: { id }, caller }) => requestTest(prisma, { id, kind: "secret_test", caller }),
  ({ prisma }, committed) => testResult(prisma, committed),
)

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
