import type { Caller } from "../../auth/caller.ts"
import { type DeliveryRow, deliveryColumns, withWaiting } from "../../deliveries/deliveryResponse.ts"
import type { ApiContext } from "../implement.ts"

/** Null if the delivery does not exist or the API key may not see its channel. */
export async function findDelivery(
  prisma: ApiContext["prisma"],
  id: string,
  caller: Caller,
): Promise<DeliveryRow | null> {
  const where = visibleDelivery(id, caller)
  const found = await prisma.delivery.findMany({ where, select: deliveryColumns })
  const [row] = await withWaiting(prisma, found)
  return row ?? null
}

/** A Prisma filter. */
export function visibleDelivery(id: string, { channels }: Caller) {
  return channels === "all" ? { id } : { id, channel_id: { in: [...channels] } }
}
