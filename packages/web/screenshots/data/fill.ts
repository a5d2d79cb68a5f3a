import type { Installation } from "@sitewire/testkit/installation"
import { fillActions } from "./fillActions.ts"
import { fillChannels } from "./fillChannels.ts"
import { fillConnections } from "./fillConnections.ts"
import { fillDeliveries } from "./fillDeliveries.ts"

/** A healthy partner, a slow one, a failing one, a paused one, and a burst of triggers. */
export async function fill(it: Installation, countedHours: number): Promise<void> {
  const now = Date.now()
  await fillChannels(it, now)
  await fillDeliveries(it, now)
  await fillConnections(it, now)
  await fillActions(it, now)
  // The console counts the minutes of these hours when it starts.
  await it.sql("update statistics_position set counted_through = $1", [
    new Date(Math.floor(now / 60_000) * 60_000 - countedHours * 3_600_000),
  ])
}
