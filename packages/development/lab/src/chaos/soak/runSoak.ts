import { setTimeout as sleep } from "node:timers/promises"
import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import type { MixedLedger } from "../mixed/reconcile.ts"
import { startMixedRun } from "../mixed/startMixedRun.ts"
import { runOnInstallation } from "../runOnInstallation.ts"
import { settingsFor } from "../settings.ts"
import { type Sample, takeSample } from "./sample.ts"

type SoakLedger = MixedLedger & {
  /** How often a service ended although no fault did it. */
  exits: number
}

/** A short run has a window of syncs and gaps between faults that fit into it. */
const longMs = 600_000

/**
 * Loads both flows for `durationMs`, or until `signal` is aborted, with a fault every five minutes, or five in a short run.
 * Takes 400 samples of memory, CPU time, descriptors, sizes and lateness.
 */
export function runSoak(settings: {
  seed: number
  durationMs: number
  signal: AbortSignal
  /** Gets the samples, also if the run fails. */
  samples: Sample[]
  progress: (line: string) => void
}): Promise<{ ledger: SoakLedger; faults: Fault[] }> {
  const { seed, durationMs, signal, samples, progress } = settings
  const isLong = durationMs >= longMs
  const windowMs = isLong ? 60_000 : 5_000
  const gapMs = isLong ? 300_000 : durationMs / 6
  const stepMs = stepOf(durationMs)
  const { pace } = settingsFor(isLong ? 5 : 1)
  const options = {
    ...{ seed, durationMs, progress, pace, brokerCount: 1, quietMs: 300_000 },
    ...{
      retryDelaysMs: isLong ? [1_000, 3_000, 9_000, 60_000] : [1_000, 3_000, 9_000],
      ownProcessGroup: true,
    },
  }
  return runOnInstallation(options, async ({ it, random, faults }) => {
    const schedulerVariables = {
      SYNC_MAX_PER_HOST: "64",
      ...(isLong ? {} : { SYNC_WINDOW: `${windowMs}ms`, SYNC_SETTLE: "500ms", SYNC_DEADLINE: "4s" }),
    }
    const dispatcher = (name: string) => it.service(name, "dispatcher", () => ({ OVERDUE_AFTER: "30s" }))
    const gateways = [1, 2].map((at) => it.service(`gateway-${at}`, "gateway"))
    const schedulers = [1, 2].map((at) =>
      it.service(`scheduler-${at}`, "scheduler", () => schedulerVariables),
    )
    const dispatchers = [dispatcher("dispatcher-1"), dispatcher("dispatcher-2")]
    const services = [...gateways, ...schedulers, ...dispatchers]
    await Promise.all(services.map((service) => service.start()))
    const mixed = await startMixedRun({
      ...{ it, seed, progress, windowMs, gateways: () => gateways },
      ...{ eventsPerSecond: 100, triggersPerSecond: 50, connections: isLong ? 2_000 : 300 },
      singles: 100 + Math.ceil(durationMs / 1_000),
    })
    progress("100 events and 50 triggers a second; Ctrl-C ends the load and prints the report")

    const startedAt = Date.now()
    let over = false
    const sampling = (async () => {
      for (let count = 0; !over; count++) {
        const sample = await takeSample({ it, services, partners: mixed.partners, load: mixed.load }).catch(
          (error: Error) => progress(`a sample is missing: ${error.message}`),
        )
        if (sample) {
          samples.push(sample)
          if (count % 10 === 0) progress(describe(sample, startedAt))
        }
        await pause(stepMs, signal)
      }
    })()
    const driving = driveFaults({
      ...{ random, durationMs, progress, signal, gapMs: [gapMs, gapMs] },
      faults: commonFaults({
        ...{
          random,
          it,
          services: [gateways, schedulers, dispatchers],
          extras: [dispatcher("dispatcher-extra")],
        },
        ...pace,
      }),
    })
    let driven: Fault[]
    try {
      driven = await Promise.race([driving, mixed.load.failed])
      await Promise.race([pause(startedAt + durationMs - Date.now(), signal), mixed.load.failed])
    } finally {
      over = true
      await sampling
    }
    await Promise.all(services.map((service) => service.start()))
    const ledger = await mixed.finish(options.quietMs)
    samples.push(await takeSample({ it, services, partners: mixed.partners, load: mixed.load }))
    // So far, the installation has added the services that ended by themselves.
    const exits = faults.length
    faults.push(...driven)
    return { ...ledger, exits, holds: ledger.holds && exits === 0 }
  })
}

/** The time between two samples. */
const stepOf = (durationMs: number) => Math.max(2_000, durationMs / 400)

/** Ends early if the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(Math.max(0, ms), undefined, { signal }).catch(() => {})
}

function describe({ published, accepted, latency, memoryBytes, at }: Sample, startedAt: number): string {
  const minutes = ((at * 1_000 - startedAt) / 60_000).toFixed(1)
  const memory = Math.max(0, ...Object.values(memoryBytes)) / 2 ** 20
  return `${minutes.padStart(6)} min  ${published} events, ${accepted} triggers accepted, p99 ${latency.p99 ?? "–"} ms, largest process ${memory.toFixed(0)} MB`
}
