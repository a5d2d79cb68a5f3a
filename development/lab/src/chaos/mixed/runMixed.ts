import { setTimeout as sleep } from "node:timers/promises"
import { type ConnectionChanged, hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { createRandom } from "../../shared/random.ts"
import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import type { Triggered } from "../load/load.ts"
import { type ChaosLab, endAll, type RunSettings, runOnLab, shortDelaysMs, startAll } from "../run.ts"
import type { MixedLedger } from "./reconcile.ts"
import { type Change, type ChangesLedger, reconcileChanges } from "./reconcileChanges.ts"
import { createSampler, type Sample, summarise } from "./sample.ts"
import { schedulerVariables, startMixed, windowMs } from "./startMixed.ts"

const samplesOfRun = 400

/**
 * Loads both flows, and replaces partners' tokens, while faults affect two replicas of each service, the broker and the
 * database. Takes 400 samples of memory, CPU time, descriptors, sizes and lateness.
 */
export async function runMixed(settings: RunSettings): Promise<{
  ledger: MixedLedger & ChangesLedger & { exits: number }
  faults: Fault[]
  figures: ReturnType<typeof summarise>
}> {
  const { seed, durationMs, quietMs, progress, pace, rates } = settings
  const samples: Sample[] = []
  const done = await runOnLab(
    { ...settings, retryDelaysMs: shortDelaysMs },
    async ({ it, random, faults }) => {
      const dispatcher = (name: string) => it.service(name, "dispatcher")
      const scheduler = (name: string) => it.service(name, "scheduler", () => schedulerVariables)
      const gateways = [1, 2].map((at) => it.service(`gateway-${at}`, "gateway"))
      const replicas = [
        gateways,
        [1, 2].map((at) => scheduler(`scheduler-${at}`)),
        [1, 2].map((at) => dispatcher(`dispatcher-${at}`)),
      ]
      const services = replicas.flat()
      await startAll(services)
      const mixed = await startMixed({ it, seed, progress, gateways: () => gateways, rates })
      progress("events and triggers come to two replicas of each service, while faults happen")

      // So far, the installation has added the services that ended by themselves.
      const sample = createSampler({ it, services, mixed, exits: () => faults.length })
      let over = false
      const sampling = (async () => {
        for (let count = 0; !over; count++) {
          const { series } = samples[samples.push(await sample()) - 1] as Sample
          if (count % 10 === 0)
            progress(
              `${series.events} events, ${series.calls} triggers accepted, p99 ${series["p99 ms"] ?? "–"} ms`,
            )
          await sleep(Math.max(1_000, durationMs / samplesOfRun))
        }
      })()
      const replacing = replaceTokens(it, mixed.connections, seed + 2, () => over)
      const extras = [dispatcher("dispatcher-extra"), scheduler("scheduler-extra")]
      const all = commonFaults({ random, it, services: replicas, extras, ...pace })
      const driving = driveFaults({ ...settings, random, gapMs: pace.gapMs, faults: all })
      const driven = await mixed.during(driving).finally(() => {
        over = true
      })
      await Promise.all([sampling, replacing])
      await startAll(services)
      const ledger = await mixed.finish(quietMs)
      samples.push(await sample())
      await endAll(services)
      const exits = faults.length
      faults.push(...driven)
      const heard = await it.readTopic(it.names.connectionChanged)
      const records = heard.map(({ value }) => JSON.parse(String(value)) as ConnectionChanged)
      const changes = reconcileChanges(await readChanges(it), records)
      const isSpaced = (ledger.shortestRequestGapMs ?? windowMs) >= windowMs
      const isHeard = changes.unheard.length + changes.disordered.length === 0
      return { ...ledger, ...changes, exits, holds: ledger.holds && isSpaced && isHeard && exits === 0 }
    },
  )
  return { ...done, figures: summarise(samples) }
}

async function replaceTokens(it: ChaosLab, connections: Triggered[], seed: number, isOver: () => boolean) {
  const random = createRandom(seed)
  while (!isOver()) {
    await sleep(random.between(500, 2_000))
    const one = random.pick(connections)
    const token = newConnectorToken()
    one.changing = true
    await it.sql("update connection set token_sha256 = $2, token_replaced_at = now() where id = $1", [
      one.connection,
      hashConnectorToken(token),
    ])
    one.replaced.push(one.token)
    one.token = token
    one.changing = false
  }
}

const readChanges = ({ sql }: ChaosLab) =>
  sql<Change>(
    "select connection_id as connection, fence::int from sync_run where outcome = 'changed' order by 1, 2",
  )
