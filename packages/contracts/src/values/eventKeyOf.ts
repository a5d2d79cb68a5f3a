import { hash } from "node:crypto"

/** The key of an event in the table known_event: the first 16 bytes of the SHA-256 of its id, as a UUID for Postgres. */
export function eventKeyOf(eventId: string): string {
  return hash("sha256", eventId, "hex").slice(0, 32)
}
