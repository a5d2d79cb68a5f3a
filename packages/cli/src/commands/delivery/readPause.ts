import type { Client } from "../../api/client.ts"
import { Failure } from "../../errors/failure.ts"

/** Since when the channel is paused; null if it is not, or was deleted. */
export async function readPause(client: Client, channel: string): Promise<string | null> {
  try {
    return (await client.readChannel(channel)).paused_at
  } catch (error) {
    if (error instanceof Failure && error.problem?.status === 404) return null
    throw error
  }
}
