import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { openJournal } from "../../shared/openJournal.ts"
import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import type { MixedLedger } from "../mixed/reconcile.ts"
import { schedulerVariables, startMixed, windowMs } from "../mixed/startMixed.ts"
import { endAll, runOnLab, settingsFor, startAll } from "../run.ts"
import { createSampler, type Sample, summarise } from "./sample.ts"

type SoakLedger = MixedLedger & {
  /** How often a service ended although no fault did it. */
  exits: number
}

/** A short run has a window of syncs and gaps between faults that fit into it. */
const longMs = 600_000

/**
 * Loads both flows for `durationMs`, or until `signal` is aborted, with a fault every five minutes, or five in a short run.
 * Takes 400 samples of memory, CPU time, descriptors, sizes and lateness. With `folder`, continues the soak that left its ledger, samples
 * and data there, even if that soak was killed, and judges all pieces together.
 */
export async function runSoak(settings: {
  seed: number
  durationMs: number
  leastFaults?: number
  signal: AbortSignal
  folder?: string | undefined
  progress: (line: string) => void
}): Promise<{ ledger: SoakLedger; faults: Fault[]; figures: ReturnType<typeof summarise> }> {
  const { seed, durationMs, leastFaults, signal, folder, progress } = settings
  const isLong = durationMs >= longMs
  const gapMs = isLong ? 300_000 : durationMs / 6
  const stepMs = Math.max(2_000, durationMs / 400)
  const { pace, quietMs } = settingsFor(isLong ? 5 : 1)
  const retryDelaysMs = [1_000, 3_000, 9_000, ...(isLong ? [60_000] : [])]
  const options = { seed, progress, folder, retryDelaysMs, ownProcessGroup: true }
  /** Ends early if the signal is aborted. */
  const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal }).catch(() => {})

  const samples: Sample[] = []
  const done = await runOnLab(options, async ({ it, random, faults }) => {
    const { SYNC_MAX_PER_HOST } = schedulerVariables
    const ofScheduler = isLong ? { SYNC_MAX_PER_HOST } : schedulerVariables
    const dispatcher = (name: string) => it.service(name, "dispatcher", () => ({}))
    const gateways = [1, 2].map((at) => it.service(`gateway-${at}`, "gateway"))
    const schedulers = [1, 2].map((at) => it.service(`scheduler-${at}`, "scheduler", () => ofScheduler))
    const dispatchers = [dispatcher("dispatcher-1"), dispatcher("dispatcher-2")]
    const services = [...gateways, ...schedulers, ...dispatchers]
    await startAll(services)
    const addSample = await openJournal(join(it.directory, "samples.jsonl"), (sample: Sample) =>
      samples.push(sample),
    )
    const exitsBefore = samples.at(-1)?.series.exits ?? 0
    // So far, the installation has added the services that ended by themselves.
    const exits = () => exitsBefore + faults.length
    const mixed = await startMixed({
      it,
      seed,
      progress,
      gateways: () => gateways,
      connections: isLong ? 2_000 : 300,
      singles: 100 + Math.ceil(durationMs / 1_000),
      windowMs: isLong ? 60_000 : windowMs,
      ledgerFolder: it.directory,
    })
    progress("100 events and 50 triggers a second; Ctrl-C ends the load and prints the report")

    const startedAt = Date.now()
    const sample = createSampler({ it, services, mixed, exits })
    let over = false
    const sampling = (async () => {
      for (let count = 0; !over; count++) {
        const taken = await sample().catch((error: Error) =>
          progress(`a sample is missing: ${error.message}`),
        )
        if (taken) {
          addSample(taken)
          const { events, calls, "p99 ms": p99 } = taken.series
          const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1).padStart(6)
          if (count % 10 === 0)
            progress(`${minutes} min  ${events} events, ${calls} triggers accepted, p99 ${p99 ?? "–"} ms`)
        }
        await pause(stepMs)
      }
    })()
    const extras = [dispatcher("dispatcher-extra")]
    const replicas = [gateways, schedulers, dispatchers]
    const all = commonFaults({ random, it, services: replicas, extras, ...pace })
    const limits = { durationMs, leastFaults, gapMs: [gapMs, gapMs] as [number, number] }
    let driven: Fault[]
    try {
      driven = await mixed.during(driveFaults({ random, ...limits, progress, signal, faults: all }))
      await mixed.during(pause(startedAt + durationMs - Date.now()))
    } finally {
      over = true
      await sampling
    }
    await startAll(services)
    const ledger = await mixed.finish(quietMs)
    addSample(await sample())
    await endAll(services)
    const ended = exits()
    faults.push(...driven)
    return { ...ledger, exits: ended, holds: ledger.holds && ended === 0 }
  })
  return { ...done, figures: summarise(samples) }
}
