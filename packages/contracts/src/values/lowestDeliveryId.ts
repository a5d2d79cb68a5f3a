/**
 * The lowest id of a delivery created at this time (in milliseconds) or later. Delivery ids are UUIDs of
 * version 7, which begin with their time, so a query by time can use the index of ids.
 */
export function lowestDeliveryId(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** Lower than the id of every delivery. */
export const beforeFirstId = lowestDeliveryId(0)
