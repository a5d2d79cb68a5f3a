import { randomInt } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { formatDuration, groupNames } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { waitUntil } from "@sitewire/testkit"
import type { Checkout, SupervisedProcess } from "@sitewire/testkit/installation"
import { createRandom, type Random } from "../shared/random.ts"
import { type LabSettings, startLab } from "../shared/startLab.ts"
import type { CommonFaultSettings } from "./faults/commonFaults.ts"
import type { Fault, FaultSettings } from "./faults/driveFaults.ts"
import { lockPartner } from "./faults/lockPartner.ts"
import { startSlowProxy } from "./faults/slowProxy.ts"

/** The consumer groups when TOPIC_PREFIX is empty. */
export const groups = groupNames("")

export const shortDelaysMs = [1_000, 3_000, 9_000]

export type RunSettings = Pick<FaultSettings, "durationMs" | "leastFaults" | "progress"> & {
  seed: number
  /**
   * With one broker, Kafka is unavailable while a fault stops it. With three or more, other brokers become
   * the leaders of its partitions. Two would have only one controller, which could not be stopped.
   */
  brokerCount: number
  /** How long to wait, after the last fault, until all work is done. What is missing then counts as lost. */
  quietMs: number
  /** A second, of a load of both flows. */
  rates: { events: number; calls: number }
  pace: Pick<FaultSettings, "gapMs"> & Pick<CommonFaultSettings, "brokerDownMs" | "pausedMs" | "degradedMs">
}

/** A short run has shorter faults, and less load. */
export function settingsFor(minutes: number): Pick<RunSettings, "durationMs" | "quietMs" | "rates" | "pace"> {
  const isShort = minutes < 2
  return {
    durationMs: minutes * 60_000,
    quietMs: isShort ? 180_000 : 300_000,
    rates: isShort ? { events: 30, calls: 20 } : { events: 100, calls: 50 },
    pace: {
      gapMs: isShort ? [500, 2_000] : [2_000, 10_000],
      brokerDownMs: isShort ? [3_000, 6_000] : [20_000, 20_000],
      pausedMs: isShort ? [11_000, 13_000] : [11_000, 30_000],
      degradedMs: isShort ? 10_000 : 60_000,
    },
  }
}

/** Nothing but a run that hangs reaches this limit. */
export const shortRunTimeout = 1_200_000

/**
 * A run of a test, which prints its seed: `npm run chaos -- outbound --seed S --minutes 0.3` repeats the same faults. On a busy
 * machine, it lasts longer, but has as many faults, events and triggers.
 */
export function shortRun() {
  const seed = randomInt(1, 1_000_000)
  const progress = (line: string) => void process.stderr.write(`chaos, seed ${seed}: ${line}\n`)
  return { ...settingsFor(0.3), seed, brokerCount: 1, progress }
}

export type ChaosLab = Awaited<ReturnType<typeof startChaosLab>>

/** Statements are repeated while faults make Postgres unavailable. */
async function startChaosLab(settings: Omit<LabSettings, "name">) {
  const env = { RETRY_PERIOD: "1h", STARTUP_DEADLINE: "45s", ...settings.env }
  const lab = await startLab({ ...settings, name: "chaos", env })
  const proxy = await startSlowProxy(lab.databaseUrl)
  const service: typeof lab.service = (name, kind, own = () => ({}), checkout) =>
    lab.service(name, kind, () => ({ DATABASE_URL: proxy.url, ...own() }), checkout)
  return {
    ...lab,
    service,
    delayPostgres: proxy.delay,
    lockPartner: (random: Random) => lockPartner(lab.pool, random),
    close: async (options?: { keepLogs?: boolean }) => {
      await lab.close(options)
      proxy.close()
    },
    sql: ((text, values, name) => retryForTwoMinutes(() => lab.sql(text, values, name))) as Sql,
    /** Runs the setup job with these retry delays. */
    migrate: (delaysMs: readonly number[], overrides: Record<string, string> = {}, checkout?: Checkout) =>
      lab.setUp({ RETRY_DELAYS: delaysMs.map(formatDuration).join(","), ...overrides }, checkout),
  }
}

/** Runs `work` on a new installation. Keeps the logs if the run fails or a promise is broken. */
export async function runOnLab<Ledger extends { holds: boolean }>(
  settings: Omit<LabSettings, "name" | "onExit"> & { seed: number },
  work: (run: { it: ChaosLab; random: Random; faults: Fault[] }) => Promise<Ledger>,
): Promise<{ ledger: Ledger; faults: Fault[] }> {
  const faults: Fault[] = []
  const onExit = (target: string) =>
    void faults.push({ kind: "exit", target, beganAt: Date.now(), endedAt: Date.now() })
  const it = await startChaosLab({ ...settings, onExit })
  let ledger: Ledger | undefined
  try {
    ledger = await work({ it, random: createRandom(settings.seed), faults })
    return { ledger, faults }
  } finally {
    await it.close({ keepLogs: !ledger?.holds })
  }
}

/**
 * Waits until all work is done, then ends the services. Work that is unfinished after `quietMs` is reported and left.
 */
export async function endWhenQuiet(
  services: readonly SupervisedProcess[],
  isQuiet: () => Promise<boolean>,
  { quietMs, progress }: Pick<RunSettings, "quietMs" | "progress">,
): Promise<void> {
  const check = async () => {
    // Waits before each check, because a check costs CPU time that the services need for their backlog.
    await sleep(500)
    return isQuiet()
  }
  await waitUntil("quiet", check, quietMs).catch((error: Error) => progress(error.message))
  const codes = await endAll(services)
  if (codes.some((code) => code !== 0)) progress(`services ended with ${codes.join(", ")}`)
}

export const startAll = (services: readonly SupervisedProcess[]) =>
  Promise.all(services.map((service) => service.start()))
export const endAll = (services: readonly SupervisedProcess[]) =>
  Promise.all(services.map((service) => service.end()))

/** Repeats `work` until it succeeds, because faults make Postgres and Kafka unavailable for seconds. */
export async function retryForTwoMinutes<T>(work: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + 120_000
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > endsAt) throw error
      await sleep(200)
    }
  }
}
