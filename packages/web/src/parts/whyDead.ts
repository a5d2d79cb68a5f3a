import type { Delivery } from "@sitewire/contracts"
import type { texts } from "../texts.ts"

/** Why a dead delivery is dead. */
export function whyDead({
  dead_reason,
  attempts,
}: Pick<Delivery, "dead_reason" | "attempts">): keyof typeof texts.delivery.dead {
  if (dead_reason !== null) return "deleted"
  return attempts === 0 ? "notAttempted" : "period"
}
