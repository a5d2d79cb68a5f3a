import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import { createRandom } from "../random.ts"
import type { RunSettings } from "../settings.ts"
import { startInstallation } from "../startChaosInstallation.ts"
import { readGets, readSyncs } from "./readInbound.ts"
import { type InboundLedger, reconcile } from "./reconcile.ts"
import { gatewayEnv, schedulerEnv, windowMs } from "./serviceVariables.ts"
import { addConnections, addSingleUse, replaceTokens, triggerAtRandom } from "./trigger.ts"

const connections = 200
/** Partners trigger at random while faults happen to three gateways, two schedulers, the broker and the database. */
export async function runInbound(settings: RunSettings): Promise<{ ledger: InboundLedger; faults: Fault[] }> {
  const { seed, brokers, durationMs, progress } = settings
  const random = createRandom(seed)
  const faults: Fault[] = []
  const onExit = (name: string, code: number | null) => {
    faults.push({ kind: "exit", target: name, beganAt: Date.now(), endedAt: Date.now() })
    progress(`          ${name} exited by itself with ${code}; it is started again`)
  }
  const it = await startInstallation({ retryDelaysMs: [1_000], brokers, progress, onExit })
  let ledger: InboundLedger | undefined
  try {
    const source = await it.helper("packages/chaos/src/inbound/sources.ts", { CHAOS_SEED: String(seed) })
    const url = source.addresses.source ?? ""
    const addresses = await addConnections(it, connections, url)
    const singleUse = await addSingleUse(it, Math.ceil(durationMs / 40), url)
    const gateways = [1, 2, 3].map((at) =>
      it.member(`gateway-${at}`, "services/trigger-gateway/src/main.ts", () => gatewayEnv),
    )
    const scheduler = (name: string) =>
      it.member(name, "services/sync-scheduler/src/main.ts", () => schedulerEnv)
    const schedulers = [scheduler("scheduler-1"), scheduler("scheduler-2")]
    const members = [...gateways, ...schedulers]
    await Promise.all(members.map((member) => member.start()))
    progress("3 gateways and 2 schedulers are up; partners trigger while faults happen")

    let over = false
    const isOver = () => over
    const calling = triggerAtRandom({
      ...{ addresses, singleUse, gateways, clients: 16, restMs: [50, 400], isOver },
      random: createRandom(seed + 1),
    })
    const replacing = replaceTokens({
      ...{ it, addresses, everyMs: [500, 2_000], isOver },
      random: createRandom(seed + 2),
    })
    const driven = await driveFaults({
      ...{ random, durationMs, progress, gapMs: settings.pace.gapMs },
      faults: commonFaults({
        random,
        it,
        services: [gateways, schedulers],
        extras: [scheduler("scheduler-extra")],
        ...settings.pace,
      }),
    })
    faults.push(...driven)
    over = true
    const [calls, replaced] = await Promise.all([calling, replacing])
    progress(`${calls.length} calls were made, ${replaced} tokens replaced; waiting for quiet`)
    await fetch(`${url}/heal`, { method: "POST" })
    await Promise.all(members.map((member) => member.start()))

    const read = async () =>
      reconcile({ calls, windowMs, gets: await readGets(url), ...(await readSyncs(it)) })
    const isQuiet = async () => {
      // Asking is not for free on a machine that works off what waited.
      await sleep(500)
      const { forgotten, waiting } = await read()
      return forgotten.length + waiting.length === 0
    }
    await waitUntil("quiet", isQuiet, settings.quietMs).catch((error: Error) => progress(error.message))
    const codes = await Promise.all(members.map((member) => member.end()))
    if (codes.some((code) => code !== 0)) progress(`members ended with ${codes.join(", ")}`)
    ledger = await read()
    return { ledger, faults }
  } finally {
    await it.stop({ keepLogs: !ledger?.holds })
  }
}
