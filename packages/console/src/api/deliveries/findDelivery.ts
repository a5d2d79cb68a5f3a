import { type Caller, onlyVisible } from "../../auth/caller.ts"
import type { ApiContext } from "../defineRoute.ts"
import { type DeliveryRow, deliveryColumns } from "./deliveryResponse.ts"

/** Null if the delivery does not exist or the API key may not see its channel. */
export function findDelivery(
  prisma: ApiContext["prisma"],
  id: string,
  caller: Caller,
): Promise<DeliveryRow | null> {
  const channelId = onlyVisible(caller.channels)
  return prisma.delivery.findFirst({
    where: { id, ...(channelId ? { channelId } : {}) },
    select: deliveryColumns,
  })
}
