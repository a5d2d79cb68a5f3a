import type { CommonFaultSettings } from "./faults/commonFaults.ts"
import type { FaultSettings } from "./faults/driveFaults.ts"

export type RunSettings = {
  seed: number
  /** Of Kafka. One that is stopped is all of Kafka gone; of three and more it is one that others take over from. */
  brokers: number
  /** For how long faults are done. Bringing up, and waiting for quiet afterwards, come on top. */
  durationMs: number
  /** How long to wait for quiet when all is healed. What is missing then counts as lost. */
  quietMs: number
  pace: Pick<FaultSettings, "gapMs"> & Pick<CommonFaultSettings, "brokerDownMs" | "pausedMs">
  progress: (line: string) => void
}

/** Below two minutes everything is shorter, so that a run fits into CI; the faults are the same. */
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
