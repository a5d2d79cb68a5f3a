import type { Caller } from "../../auth/caller.ts"
import type { ApiContext } from "../defineRoute.ts"
import { type DeliveryRow, deliveryColumns } from "./deliveryResponse.ts"
import { withWaiting } from "./withWaiting.ts"

/** Null if the delivery does not exist or the API key may not see its channel. */
export async function findDelivery(
  prisma: ApiContext["prisma"],
  id: string,
  caller: Caller,
): Promise<DeliveryRow | null> {
  const where = await visibleDelivery(prisma, id, caller)
  const found = await prisma.delivery.findMany({ where, select: deliveryColumns })
  const [row] = await withWaiting(prisma, found)
  return row ?? null
}

/**
 * A Prisma filter. A channel with the id of a deleted one may belong to another partner. So a key of a channel sees
 * only deliveries that were stored after the channel was created.
 */
export async function visibleDelivery(prisma: ApiContext["prisma"], id: string, caller: Caller) {
  if (caller.channels === "all") return { id }
  const channels = await prisma.channel.findMany({
    where: { id: { in: [...caller.channels] } },
    select: { id: true, createdAt: true },
  })
  return { id, OR: channels.map(({ id, createdAt }) => ({ channelId: id, storedAt: { gte: createdAt } })) }
}
