import { createHash } from "node:crypto"
import { v7 } from "uuid"

/**
 * The id of an event's delivery: a UUID of version 7 whose time is when the event's record was appended to its topic (in
 * milliseconds since the epoch), and whose other bits are a digest of the event's id. So whoever consumes the record
 * again, after a crash, a rebalance or a restore of Postgres, gets the same id.
 */
export function deliveryIdOf(eventId: string, appendedAt: number): string {
  return v7({ msecs: appendedAt, random: createHash("sha256").update(eventId).digest() })
}
