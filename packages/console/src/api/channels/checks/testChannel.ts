import { testDeliverySchema } from "@sitewire/contracts"
import { z } from "zod"
import { type Caller, nameOf } from "../../../auth/caller.ts"
import { notFound, problem } from "../../../http/problems.ts"
import { ok, type Problem, type Success } from "../../../http/response.ts"
import { newId } from "../../../newIds.ts"
import { checkChannelAddress } from "../../checkAddress.ts"
import { type ApiContext, implement } from "../../implement.ts"
import { lockChannel } from "../findChannel.ts"
import { rotationConflict } from "../secret/rotationConflict.ts"
import { checkRunning } from "./checkRunning.ts"
import { waitForCheck } from "./waitForCheck.ts"

export const testChannel = implement(
  "testChannel",
  (context, { params: { id }, body, caller }) =>
    requestTest(context, { id, kind: "test", caller, address: body?.address }),
  ({ prisma }, committed) => testResult(prisma, committed),
)

export const testSecret = implement(
  "testSecret",
  (context, { params: { id }, caller }) => requestTest(context, { id, kind: "secret_test", caller }),
  ({ prisma }, committed) => testResult(prisma, committed),
)

type Test = { id: string; kind: "test" | "secret_test"; caller: Caller; address?: string | undefined }

/** `address`: instead of the channel's own. */
async function requestTest(
  context: ApiContext,
  { id, kind, caller, address }: Test,
): Promise<Success<{ check: string }> | Problem> {
  const { prisma } = context
  const channel = await lockChannel(prisma, id, caller)
  if (!channel) return notFound("channel", id)
  if (address !== undefined && caller.channels !== "all")
    return problem("missing-scope", "Only an operator may test an address that is not the channel's.")
  const checked =
    address === undefined ? null : checkChannelAddress(context, address, channel.partner_may_change_address)
  if (checked?.kind === "problem") return checked
  if (kind === "secret_test" && channel.other_secret_id === null) return rotationConflict(prisma, id, "test")
  const running = await checkRunning(prisma, id, kind)
  if (running) return running
  const check = await prisma.receiverCheck.create({
    data: {
      id: newId("tst"),
      channel_id: id,
      kind,
      address: checked?.href ?? channel.address,
      requested_by: nameOf(caller),
    },
    select: { id: true },
  })
  const changes = {
    test: { old: null, new: check.id },
    ...(checked ? { address: { old: null, new: checked.href } } : {}),
  }
  return ok({ check: check.id }, { audit: { target: { kind: "channel", id }, changes } })
}

async function testResult(prisma: ApiContext["prisma"], committed: unknown) {
  const ended = await waitForCheck(prisma, committedSchema.parse(committed).check)
  return ended.kind === "problem" ? ended : ok(testDeliverySchema.parse(ended.report))
}

const committedSchema = z.object({ check: z.string() })
