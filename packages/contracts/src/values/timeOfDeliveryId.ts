/** When the delivery with this id was created, in milliseconds: a UUID of version 7 begins with its time. */
export function timeOfDeliveryId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
