import { setTimeout as sleep } from "node:timers/promises"
import { hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { Random } from "../random.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"
import type { Call } from "./reconcile.ts"

const patienceMs = 5_000

export type TriggeredConnection = {
  connection: string
  token: string
  /** The earlier tokens whose replacement is committed. */
  replaced: string[]
  /** While a token is being replaced, either token may be valid. */
  changing: boolean
}

type AddConnections = Pick<ChaosInstallation, "addConnections">

export function addRepeatedConnections(
  it: AddConnections,
  count: number,
  url: string,
): Promise<TriggeredConnection[]> {
  const kindOf = (at: number) => (at % 10 === 0 ? "failing" : at % 5 === 1 ? "slow" : "steady")
  return add(it, count, (at) => ({ id: `connection-${at}`, source: `${url}/${kindOf(at)}` }))
}

/**
 * Adds connections that are triggered until one trigger is accepted, and never again. If that trigger is
 * lost, no later trigger's sync hides the loss.
 */
export function addSingleUse(it: AddConnections, count: number, url: string): Promise<TriggeredConnection[]> {
  return add(it, count, (at) => ({ id: `single-${at}`, source: `${url}/steady` }))
}

async function add(
  { addConnections }: AddConnections,
  count: number,
  describe: (at: number) => { id: string; source: string },
): Promise<TriggeredConnection[]> {
  const added = Array.from({ length: count }, (_, at) => describe(at))
  const tokens = await addConnections(added.map(({ id, source }) => ({ id, source: `${source}/${id}` })))
  return added.map(({ id }, at) => ({
    ...{ connection: id, token: tokens[at] ?? "" },
    ...{ replaced: [], changing: false },
  }))
}

export async function triggerAtRandom(settings: {
  connections: TriggeredConnection[]
  singleUse: TriggeredConnection[]
  gateways: SupervisedProcess[]
  clients: number
  restMs: [number, number]
  random: Random
  isOver: () => boolean
}): Promise<Call[]> {
  const { connections, gateways, clients, restMs, random, isOver } = settings
  const unused = [...settings.singleUse]
  const calls: Call[] = []
  let turn = 0

  async function client(): Promise<void> {
    while (!isOver()) {
      await sleep(random.between(...restMs))
      const gateway = gateways[turn++ % gateways.length]?.addresses().gateway
      // The gateway is down, so a load balancer would not use it.
      if (gateway === undefined) continue
      const single = random.next() < 0.3 ? unused.pop() : undefined
      const one = single ?? random.pick(connections)
      const useOld = one.replaced.length > 0 && random.next() < 0.2
      const call = await callOnce(gateway, one, useOld ? random.pick(one.replaced) : one.token)
      calls.push(call)
      if (single && call.status !== 202) unused.push(single)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return calls
}

async function callOnce(gateway: string, one: TriggeredConnection, token: string): Promise<Call> {
  const { connection } = one
  const sentAt = Date.now()
  const wasReplaced = one.replaced.includes(token)
  const wasChanging = one.changing
  let status = 0
  try {
    const response = await fetch(`${gateway}/connectors/hook/${connection}/${token}/`, {
      method: "POST",
      signal: AbortSignal.timeout(patienceMs),
    })
    status = response.status
    await response.arrayBuffer()
  } catch {
    // If the response's head has arrived, its status counts, even if the body failed.
  }
  const isValid = !wasChanging && !one.changing && one.token === token
  return {
    connection,
    sentAt,
    endedAt: Date.now(),
    status,
    token: wasReplaced ? "replaced" : isValid ? "valid" : "between",
  }
}

export async function replaceTokens(settings: {
  it: ChaosInstallation
  connections: TriggeredConnection[]
  everyMs: [number, number]
  random: Random
  isOver: () => boolean
}): Promise<number> {
  const { it, connections, everyMs, random, isOver } = settings
  let count = 0
  for (; !isOver(); count++) {
    await sleep(random.between(...everyMs))
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
