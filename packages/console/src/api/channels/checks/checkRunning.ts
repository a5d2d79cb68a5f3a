import { claimableMs } from "@sitewire/contracts"
import { problem } from "../../../http/problems.ts"
import type { Problem } from "../../../http/response.ts"
import type { ApiContext } from "../../implement.ts"

const names = {
  test: "test delivery",
  secret_test: "test of the secret",
  address_change: "change of the address",
}

/**
 * A problem if a check of this kind has not finished. A channel has one at a time, so that a receiver that does not
 * respond cannot occupy the dispatchers. Call it with the channel locked.
 */
export async function checkRunning(
  prisma: ApiContext["prisma"],
  channelId: string,
  kind: keyof typeof names,
): Promise<Problem | null> {
  const now = Date.now()
  const unfinished = await prisma.receiverCheck.findFirst({
    where: {
      channel_id: channelId,
      kind,
      finished_at: null,
      OR: [{ created_at: { gt: new Date(now - claimableMs) } }, { lease_expires_at: { gt: new Date(now) } }],
    },
    select: { id: true },
  })
  if (!unfinished) return null
  return problem(
    "check-running",
    `The ${names[kind]} "${unfinished.id}" of this channel has not finished. Wait until it has, and try again.`,
  )
}
