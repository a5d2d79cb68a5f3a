import type { Delivery } from "@sitewire/contracts"
import type { deadReasons } from "../words.ts"

/** Why a dead delivery is dead. */
export function whyDead({
  dead_reason,
  attempts,
}: Pick<Delivery, "dead_reason" | "attempts">): keyof typeof deadReasons {
  if (dead_reason !== null) return "deleted"
  return attempts === 0 ? "notAttempted" : "period"
}
