import { randomInt } from "node:crypto"
import { settingsFor } from "./run.ts"

// Each test of a short run starts a Postgres, a Kafka and half a dozen services, and prints its new seed.
// `npm run chaos -- outbound --seed S --minutes 0.3` repeats the same faults. On a busy machine, the runs last longer, but
// have as many faults, events and triggers.

/** Nothing but a run that hangs reaches this limit. */
export const shortRunTimeout = 1_200_000

export function shortRun() {
  const seed = randomInt(1, 1_000_000)
  const progress = (line: string) => void process.stderr.write(`chaos, seed ${seed}: ${line}\n`)
  return { ...settingsFor(0.3), seed, brokerCount: 1, progress }
}
