/** As the service makes them: a UUID of version 7. A later one is greater as text, also microseconds later. */
export function newDeliveryId(): string {
  const now = performance.timeOrigin + performance.now()
  const time = Math.floor(now).toString(16).padStart(12, "0")
  const fraction = Math.floor((now % 1) * 0x1000)
  const random = crypto.randomUUID().slice("xxxxxxxx-xxxx-xxxx".length)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${fraction.toString(16).padStart(3, "0")}${random}`
}
