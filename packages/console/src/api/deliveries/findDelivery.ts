import { type Caller, onlyVisible } from "../../auth/caller.ts"
import type { ApiContext } from "../defineRoute.ts"
import { type DeliveryRow, deliveryColumns } from "./deliveryResponse.ts"

/** Null if the delivery does not exist or the API key may not see its channel. */
export function findDelivery(
  prisma: ApiContext["prisma"],
  id: string,
  caller: Caller,
): Promise<DeliveryRow | null> {
  return prisma.delivery.findFirst({ where: visibleDelivery(id, caller), select: deliveryColumns })
}

export function visibleDelivery(id: string, caller: Caller) {
  const channelId = onlyVisible(caller.channels)
  return { id, ...(channelId ? { channelId } : {}) }
}
