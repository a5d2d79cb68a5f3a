import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import { createRandom } from "../random.ts"
import { endWhenQuiet, runOnInstallation } from "../runOnInstallation.ts"
import type { RunSettings } from "../settings.ts"
import { readGets, readSyncs } from "./readInbound.ts"
import { type InboundLedger, reconcile } from "./reconcile.ts"
import { schedulerVariables, windowMs } from "./serviceVariables.ts"
import { addRepeatedConnections, addSingleUse, replaceTokens, triggerAtRandom } from "./trigger.ts"

const connectionCount = 200

/**
 * Partners trigger at random while faults affect three gateways, two schedulers, the broker and the database.
 */
export function runInbound(settings: RunSettings): Promise<{ ledger: InboundLedger; faults: Fault[] }> {
  const { seed, durationMs, progress } = settings
  return runOnInstallation({ ...settings, retryDelaysMs: [1_000] }, async ({ it, random, faults }) => {
    const source = await it.helper("packages/development/lab/src/chaos/inbound/sources.ts", {
      CHAOS_SEED: String(seed),
    })
    const url = source.addresses.source ?? ""
    const connections = await addRepeatedConnections(it, connectionCount, url)
    const singleUse = await addSingleUse(it, Math.ceil(durationMs / 40), url)
    const gateways = [1, 2, 3].map((at) => it.service(`gateway-${at}`, "gateway"))
    const scheduler = (name: string) => it.service(name, "scheduler", () => schedulerVariables)
    const schedulers = [scheduler("scheduler-1"), scheduler("scheduler-2")]
    const services = [...gateways, ...schedulers]
    await Promise.all(services.map((service) => service.start()))
    progress("3 gateways and 2 schedulers are up; partners trigger while faults happen")

    let over = false
    const isOver = () => over
    const calling = triggerAtRandom({
      ...{ connections, singleUse, gateways, clients: 16, restMs: [50, 400], isOver },
      random: createRandom(seed + 1),
    })
    const replacing = replaceTokens({
      ...{ it, connections, everyMs: [500, 2_000], isOver },
      random: createRandom(seed + 2),
    })
    const driven = await driveFaults({
      ...{ random, durationMs, progress, gapMs: settings.pace.gapMs },
      faults: commonFaults({
        ...{ random, it, services: [gateways, schedulers], extras: [scheduler("scheduler-extra")] },
        ...settings.pace,
      }),
    })
    faults.push(...driven)
    over = true
    const [calls, replaced] = await Promise.all([calling, replacing])
    progress(`${calls.length} calls were made, ${replaced} tokens replaced; waiting for quiet`)
    await fetch(`${url}/heal`, { method: "POST" })
    await Promise.all(services.map((service) => service.start()))

    const read = async () =>
      reconcile({ calls, windowMs, gets: await readGets(url), ...(await readSyncs(it)) })
    const isQuiet = async () => {
      const { forgotten, waiting } = await read()
      return forgotten.length + waiting.length === 0
    }
    await endWhenQuiet(services, isQuiet, settings)
    return read()
  })
}
