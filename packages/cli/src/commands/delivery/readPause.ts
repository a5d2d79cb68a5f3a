import type { Delivery } from "@sitewire/contracts"
import type { Client } from "../../api/client.ts"
import { orNull } from "../../api/orNull.ts"

/** Since when the channel is paused; null if it is not, was deleted, or the key may not read channels. */
export async function readPause(client: Client, channel: string): Promise<string | null> {
  return (await orNull(client.readChannel({ id: channel }), [403, 404]))?.paused_at ?? null
}

/** Those of the channels of which a delivery waits. */
export async function readPauses(
  client: Client,
  deliveries: Delivery[],
): Promise<Map<string, string | null>> {
  const waiting = deliveries.filter(
    ({ state, next_attempt_at, deferred_at }) => state === "pending" || next_attempt_at || deferred_at,
  )
  const pauses = new Map<string, string | null>()
  for (const id of new Set(waiting.map(({ channel }) => channel))) {
    pauses.set(id, await readPause(client, id))
  }
  return pauses
}
