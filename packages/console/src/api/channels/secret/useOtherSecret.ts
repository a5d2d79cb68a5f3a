import type { Channel } from "@sitewire/contracts"
import type { Caller } from "../../../auth/caller.ts"
import { notFound, problem } from "../../../http/problems.ts"
import type { Problem, Success } from "../../../http/response.ts"
import type { ApiContext } from "../../implement.ts"
import { type ChannelRow, changedChannel, otherSecretTestOf } from "../channelResponse.ts"
import { findChannel, lockChannel } from "../findChannel.ts"
import { rotationConflict } from "./rotationConflict.ts"

type Prisma = ApiContext["prisma"]

/**
 * Makes the other secret, which has this state, the active one. The active one becomes the retiring one, so that the
 * step can be undone until that one is retired.
 */
export async function useOtherSecret(
  prisma: Prisma,
  {
    id,
    state,
    secretId,
    force,
  }: { id: string; state: "staged" | "retiring"; secretId: string | undefined; force: boolean },
  caller: Caller,
): Promise<Success<Channel> | Problem> {
  const found = await lockChannel(prisma, id, caller)
  if (!found) return notFound("channel", id)
  const rejected = force ? null : rejectedByReceiver(found)
  if (rejected) return rejected
  // One statement swaps the columns, so that a dispatcher always reads one active secret. It is SQL because
  // Prisma cannot swap columns.
  const swapped = await prisma.$executeRaw`
    update channel
       set secret_id = other_secret_id, secret_sealed = other_secret_sealed,
           other_secret_id = secret_id, other_secret_sealed = secret_sealed, other_secret_state = 'retiring',
           other_secret_since = now(), updated_at = now()
     where id = ${id} and other_secret_state = ${state}::other_secret_state
       and (${secretId ?? null}::text is null or other_secret_id = ${secretId ?? null})`
  const row = swapped === 1 ? await findChannel(prisma, id, caller) : null
  if (!row) return rotationConflict(prisma, id, state === "staged" ? "activate" : "revert", secretId)
  return changedChannel(found, row, caller)
}

/** A problem if the last test of the other secret found that the receiver rejects it. */
function rejectedByReceiver(channel: ChannelRow): Problem | null {
  const test = otherSecretTestOf(channel)
  if (test === null || test.error === null) return null
  return problem(
    "secret-not-accepted",
    `The last test found that the receiver does not accept the secret "${channel.other_secret_id}": its response was ${test.status ?? test.error}. All deliveries would fail. Let the receiver accept the secret and test it again, or repeat this request with force=true.`,
  )
}
