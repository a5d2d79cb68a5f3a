import { setTimeout as sleep } from "node:timers/promises"
import type { Installation } from "../../installation/startBenchInstallation.ts"
import { eventOf } from "./paidEvent.ts"

/** The clock of latencies: the same in all processes of the machine, and finer than a millisecond. */
export const clockMs = () => performance.timeOrigin + performance.now()

/**
 * Publishes `amount` events one by one at an even rate. Each event's `reference` is the time of publishing,
 * by `clockMs`.
 */
export async function publishPaced(
  it: Installation,
  { perSecond, amount, channels }: { perSecond: number; amount: number; channels: readonly string[] },
): Promise<void> {
  let failure: unknown
  const acknowledged: Promise<void>[] = []
  const startedAt = performance.now()
  for (let at = 0; at < amount; at++) {
    const waitMs = startedAt + (at / perSecond) * 1_000 - performance.now()
    // A timer sleeps at least a millisecond, so shorter waits are skipped.
    if (waitMs >= 0.5) await sleep(waitMs)
    const event = eventOf(at, channels[at % channels.length] ?? "", String(clockMs()))
    const record = { topic: it.names.sitePaid, key: event.id, value: JSON.stringify(event) }
    acknowledged.push(
      it.publish([record]).catch((error: unknown) => {
        failure ??= error
      }),
    )
  }
  await Promise.all(acknowledged)
  if (failure !== undefined) throw failure
}
