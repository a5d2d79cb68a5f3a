import { setTimeout as sleep } from "node:timers/promises"
import { type ConnectionChanged, hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { createRandom } from "../../shared/random.ts"
import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import { addConnections, type Call, callTriggers, startPartners, type Triggered } from "../load/load.ts"
import { readGets } from "../load/seen.ts"
import { schedulerVariables, windowMs } from "../mixed/startMixed.ts"
import { type ChaosLab, endWhenQuiet, type RunSettings, runOnLab, startAll } from "../run.ts"
import { type InboundLedger, reconcile, type SyncRunRow } from "./reconcile.ts"
import { type Change, type ChangesLedger, reconcileChanges } from "./reconcileChanges.ts"

const connectionCount = 200
const callsPerSecond = 60
/** A run with fewer accepted calls shows little, so the calls go on until there are that many. */
const leastAccepted = 200

/** Partners trigger at random while faults affect three gateways, two schedulers, the broker and the database. */
export function runInbound(
  settings: RunSettings,
): Promise<{ ledger: InboundLedger & ChangesLedger; faults: Fault[] }> {
  const { seed, durationMs, progress } = settings
  return runOnLab({ ...settings, retryDelaysMs: [1_000] }, async ({ it, random, faults }) => {
    const { addresses } = await startPartners(it, seed, { record: true })
    const source = addresses.source ?? ""
    const kindOf = (at: number) => (at % 10 === 0 ? "failing" : at % 5 === 1 ? "slow" : "steady")
    const sourceOf = (at: number) => `${source}/source/${kindOf(at)}`
    const steady = () => `${source}/source/steady`
    const connections = await addConnections(it, "connection", connectionCount, sourceOf)
    const singles = await addConnections(it, "single", Math.ceil(durationMs / 40), steady)
    const gateways = [1, 2, 3].map((at) => it.service(`gateway-${at}`, "gateway"))
    const scheduler = (name: string) => it.service(name, "scheduler", () => schedulerVariables)
    const schedulers = [scheduler("scheduler-1"), scheduler("scheduler-2")]
    const services = [...gateways, ...schedulers]
    await startAll(services)
    progress("3 gateways and 2 schedulers are up; partners trigger while faults happen")

    const calls: Call[] = []
    let over = false
    const isEnough = () => over && calls.filter(({ status }) => status === 202).length >= leastAccepted
    const calling = callTriggers({
      gateways: () => gateways,
      perSecond: callsPerSecond,
      isOver: isEnough,
      connections,
      singles,
      singleShare: 0.3,
      random: createRandom(seed + 1),
      onCall: (call) => call && calls.push(call),
    })
    const replacing = replaceTokens(it, connections, seed + 2, () => over)
    const extras = [scheduler("scheduler-extra")]
    const all = commonFaults({ random, it, services: [gateways, schedulers], extras, ...settings.pace })
    faults.push(...(await driveFaults({ ...settings, random, gapMs: settings.pace.gapMs, faults: all })))
    over = true
    const [replaced] = await Promise.all([replacing, calling])
    progress(`${calls.length} calls were made, ${replaced} tokens replaced; waiting for quiet`)
    await fetch(`${source}/heal`, { method: "POST" })
    await startAll(services)

    const read = async () =>
      reconcile({ calls, windowMs, gets: await readGets(source), ...(await readSyncs(it)) })
    const isQuiet = async () => {
      const { forgotten, waiting } = await read()
      const unpublished = await it.sql("select from unpublished_change limit 1")
      return forgotten.length + waiting.length + unpublished.length === 0
    }
    await endWhenQuiet(services, isQuiet, settings)
    const ledger = await read()
    const heard = await it.readTopic(it.names.connectionChanged)
    const records = heard.map(({ value }) => JSON.parse(String(value)) as ConnectionChanged)
    const changes = reconcileChanges(await readChanges(it), records)
    const holds = ledger.holds && changes.unheard.length + changes.disordered.length === 0
    return { ...ledger, ...changes, holds }
  })
}

async function replaceTokens(it: ChaosLab, connections: Triggered[], seed: number, isOver: () => boolean) {
  const random = createRandom(seed)
  let count = 0
  for (; !isOver(); count++) {
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
  return count
}

async function readSyncs({ sql }: ChaosLab): Promise<{ runs: SyncRunRow[]; waiting: string[] }> {
  const runs = await sql<SyncRunRow>(
    `select connection_id as connection, outcome::text,
       (extract(epoch from started_at) * 1000)::float8 as "startedAt",
       (extract(epoch from finished_at) * 1000)::float8 as "finishedAt"
     from sync_run`,
  )
  const waiting = await sql<{ connection: string }>(
    "select connection_id as connection from sync_window where requested > covered",
  )
  return { runs, waiting: waiting.map(({ connection }) => connection) }
}

function readChanges({ sql }: ChaosLab): Promise<Change[]> {
  return sql<Change>(
    "select connection_id as connection, fence::int from sync_run where outcome = 'changed' order by 1, 2",
  )
}
