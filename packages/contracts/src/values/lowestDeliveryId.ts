/**
 * The lowest id that a delivery made at this time (milliseconds since the epoch) or later can have: delivery ids are
 * UUIDs of version 7 and begin with their time, so a range of time is a range of ids and needs no index of its own.
 */
export function lowestDeliveryId(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
