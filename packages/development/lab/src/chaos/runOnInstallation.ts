import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { Fault } from "./faults/driveFaults.ts"
import { createRandom, type Random } from "./random.ts"
import type { RunSettings } from "./settings.ts"
import { type ChaosInstallation, startChaosInstallation } from "./startChaosInstallation.ts"

/** Runs `work` on a new installation. Keeps the logs if the run fails or a promise is broken. */
export async function runOnInstallation<Ledger extends { holds: boolean }>(
  settings: RunSettings & Omit<Parameters<typeof startChaosInstallation>[0], "faults">,
  work: (run: { it: ChaosInstallation; random: Random; faults: Fault[] }) => Promise<Ledger>,
): Promise<{ ledger: Ledger; faults: Fault[] }> {
  const faults: Fault[] = []
  const it = await startChaosInstallation({ ...settings, faults })
  let ledger: Ledger | undefined
  try {
    ledger = await work({ it, random: createRandom(settings.seed), faults })
    return { ledger, faults }
  } finally {
    await it.stop({ keepLogs: !ledger?.holds })
  }
}

/**
 * Waits until all work is done, then ends the services. Work that is unfinished after `quietMs` is reported
 * and left.
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
  const codes = await Promise.all(services.map((service) => service.end()))
  if (codes.some((code) => code !== 0)) progress(`services ended with ${codes.join(", ")}`)
}
