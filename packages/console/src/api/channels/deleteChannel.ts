import { mostWaitingCounted } from "@sitewire/contracts/partnerMessage"
import type { Sql } from "@sitewire/database"
import { forgetChannel } from "@sitewire/deliveries"
import { removeScope } from "../../auth/keyScopes.ts"
import { notFound, problem } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { channelResponse, lockChannel } from "./channelResponse.ts"

export const deleteChannel = implement(
  "deleteChannel",
  async ({ prisma, sql }, { params: { id }, query: { force = false }, caller }) => {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const pending = await countWaiting(sql, id)
    if (pending > 0 && !force) {
      return problem(
        "deliveries-pending",
        `The channel "${id}" was not deleted, because ${pending}${pending < mostWaitingCounted ? "" : " or more"} of its deliveries are pending. Wait until they are delivered or dead. With force=true they become dead, and are not sent.`,
      )
    }
    // A dispatcher marks the deliveries as dead (`startEndingDeleted`). From this commit on none can be sent,
    // because each attempt reads its channel.
    await prisma.deletedChannel.create({ data: { id } })
    await prisma.channel.delete({ where: { id }, select: { id: true } })
    await prisma.channelStatus.deleteMany({ where: { channel_id: id } })
    await forgetChannel(sql, id)
    await prisma.channelFailure.deleteMany({ where: { channel_id: id } })
    const keys = await removeScope(sql, `channel:${id}`)
    const { address, secret_id, paused_at, max_per_second } = channelResponse(found, caller)
    const before = { address, secret_id, paused_at, max_per_second, deleted: false }
    const changes = changesOf(before, {
      ...{ address: null, secret_id: null, paused_at: null, max_per_second: null },
      ...{ deleted: true, pending_deliveries: pending },
    })
    return ok(
      {
        id,
        deleted: true as const,
        pending_deliveries: pending,
        outcome: pending > 0 ? ("dead" as const) : ("none" as const),
        keys: keys.map(({ id, revoked }) => ({ id, revoked })),
      },
      { audit: { target: { kind: "channel", id }, changes, also: keys.map(({ audit }) => audit) } },
    )
  },
)

async function countWaiting(sql: Sql, channel: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int as count
       from (select from waiting_delivery where channel_id = $1 limit ${mostWaitingCounted}) as waiting`,
    [channel],
  )
  return row?.count ?? 0
}
