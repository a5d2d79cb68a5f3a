import type { Installation } from "../../installation/startBenchInstallation.ts"
import { eventOf } from "./paidEvent.ts"

const batch = 1_000

export async function publishBacklog(
  it: Installation,
  amount: number,
  channels: readonly string[],
): Promise<void> {
  for (let from = 0; from < amount; from += batch) {
    const events = Array.from({ length: Math.min(batch, amount - from) }, (_, offset) =>
      eventOf(from + offset, channels[(from + offset) % channels.length] ?? ""),
    )
    await it.publish(
      events.map((event) => ({ topic: it.names.sitePaid, key: event.id, value: JSON.stringify(event) })),
    )
  }
}
