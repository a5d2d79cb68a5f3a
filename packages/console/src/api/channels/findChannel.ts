import type { Caller } from "../../auth/caller.ts"
import { sees } from "../../auth/caller.ts"
import type { ApiContext } from "../implement.ts"
import { type ChannelRow, channelColumns } from "./channelResponse.ts"

/** Null if the channel does not exist or the API key may not see it. */
export async function findChannel(
  prisma: ApiContext["prisma"],
  id: string,
  caller: Caller,
): Promise<ChannelRow | null> {
  if (!sees(caller.channels, id)) return null
  return prisma.channel.findUnique({ where: { id }, select: channelColumns })
}

/** As `findChannel`, in a transaction. Other transactions cannot change the channel until this one ends. */
export async function lockChannel(
  prisma: ApiContext["prisma"],
  id: string,
  caller: Caller,
): Promise<ChannelRow | null> {
  if (!sees(caller.channels, id)) return null
  await prisma.$queryRaw`select id from channel where id = ${id} for update`
  return findChannel(prisma, id, caller)
}
