import type { CommonFaultSettings } from "./faults/commonFaults.ts"
import type { FaultSettings } from "./faults/driveFaults.ts"

export type RunSettings = {
  seed: number
  /**
   * With one broker, Kafka is unavailable while a fault stops it. With three or more, other brokers become
   * the leaders of its partitions.
   */
  brokerCount: number
  /** How long faults happen, without the start before and the wait for quiet afterwards. */
  durationMs: number
  /** How long to wait, after the last fault, until all work is done. What is missing then counts as lost. */
  quietMs: number
  pace: Pick<FaultSettings, "gapMs"> & Pick<CommonFaultSettings, "brokerDownMs" | "pausedMs">
  progress: (line: string) => void
}

/** A short run has shorter faults, so that it fits into CI. */
export function settingsFor(minutes: number): Pick<RunSettings, "durationMs" | "quietMs" | "pace"> {
  const isShort = minutes < 2
  return {
    durationMs: minutes * 60_000,
    quietMs: isShort ? 90_000 : 300_000,
    pace: {
      gapMs: isShort ? [500, 2_000] : [2_000, 10_000],
      brokerDownMs: isShort ? [3_000, 6_000] : [20_000, 20_000],
      pausedMs: isShort ? [11_000, 13_000] : [11_000, 30_000],
    },
  }
}
