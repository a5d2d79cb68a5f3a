import type { Erasures } from "@sitewire/database"
import type { NewDelivery } from "./storeDeliveries.ts"

/** An event that names an erased person or site is stored without its body, and not sent. */
export function markErased(batch: readonly NewDelivery[], erasures: Erasures): NewDelivery[] {
  return batch.map((delivery) =>
    erasures.covers(delivery.body, delivery.appendedAt) ? { ...delivery, erased: true } : delivery,
  )
}
