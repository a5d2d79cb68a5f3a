import type { Client } from "../../api/client.ts"
import { orNull } from "../../api/orNull.ts"

/** Since when the channel is paused; null if it is not, was deleted, or the key may not read channels. */
export async function readPause(client: Client, channel: string): Promise<string | null> {
  return (await orNull(client.readChannel({ id: channel }), [403, 404]))?.paused_at ?? null
}
