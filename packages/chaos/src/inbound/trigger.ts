import { setTimeout as sleep } from "node:timers/promises"
import { hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import type { SupervisedProcess } from "@sitewire/installation"
import type { Random } from "../random.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"
import type { Call } from "./reconcile.ts"

const patienceMs = 5_000

export type Address = {
  connection: string
  token: string
  /** Tokens before it, whose replacement has returned. */
  replaced: string[]
  /** A replacement is under way: whether the token counts is not known. */
  changing: boolean
}

type AddConnections = Pick<ChaosInstallation, "addConnections">

/** Adds connections whose sources are on `url`: most are steady, some slow, some fail at random. */
export function addRepeatedConnections(it: AddConnections, count: number, url: string): Promise<Address[]> {
  const kindOf = (at: number) => (at % 10 === 0 ? "failing" : at % 5 === 1 ? "slow" : "steady")
  return add(it, count, (at) => ({ id: `connection-${at}`, source: `${url}/${kindOf(at)}` }))
}

/** Adds connections that are triggered once, so that no later trigger's sync hides the loss of their trigger. */
export function addSingleUse(it: AddConnections, count: number, url: string): Promise<Address[]> {
  return add(it, count, (at) => ({ id: `single-${at}`, source: `${url}/steady` }))
}

async function add(
  { addConnections }: AddConnections,
  count: number,
  describe: (at: number) => { id: string; source: string },
): Promise<Address[]> {
  const added = Array.from({ length: count }, (_, at) => describe(at))
  const tokens = await addConnections(added.map(({ id, source }) => ({ id, source: `${source}/${id}` })))
  return added.map(({ id }, at) => ({
    ...{ connection: id, token: tokens[at] ?? "" },
    ...{ replaced: [], changing: false },
  }))
}

/** Partners that call at random, each gateway in turn, until `isOver`; a few use an address that was replaced, and some a connection of `singleUse`. */
export async function triggerAtRandom(settings: {
  addresses: Address[]
  singleUse: Address[]
  gateways: SupervisedProcess[]
  clients: number
  /** Between two calls of one client. */
  restMs: [number, number]
  random: Random
  isOver: () => boolean
}): Promise<Call[]> {
  const { addresses, gateways, clients, restMs, random, isOver } = settings
  const unused = [...settings.singleUse]
  const calls: Call[] = []
  let turn = 0

  async function client(): Promise<void> {
    while (!isOver()) {
      await sleep(random.between(...restMs))
      const gateway = gateways[turn++ % gateways.length]?.addresses().gateway
      // A balancer does not send to what is down.
      if (gateway === undefined) continue
      const single = random.next() < 0.3 ? unused.pop() : undefined
      const address = single ?? random.pick(addresses)
      const useOld = address.replaced.length > 0 && random.next() < 0.2
      const call = await callOnce(gateway, address, useOld ? random.pick(address.replaced) : address.token)
      calls.push(call)
      if (single && call.status !== 202) unused.push(single)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return calls
}

async function callOnce(gateway: string, address: Address, token: string): Promise<Call> {
  const { connection } = address
  const sentAt = Date.now()
  const wasReplaced = address.replaced.includes(token)
  const wasChanging = address.changing
  let status = 0
  try {
    const answer = await fetch(`${gateway}/connectors/hook/${connection}/${token}/`, {
      method: "POST",
      signal: AbortSignal.timeout(patienceMs),
    })
    status = answer.status
    await answer.arrayBuffer()
  } catch {
    // A 202 whose head was there counts, whatever became of the rest.
  }
  const isValid = !wasChanging && !address.changing && address.token === token
  return {
    connection,
    sentAt,
    endedAt: Date.now(),
    status,
    address: wasReplaced ? "replaced" : isValid ? "valid" : "between",
  }
}

/** Replaces the token of some connection now and then, until `isOver`. Returns how many were replaced. */
export async function replaceTokens(settings: {
  it: ChaosInstallation
  addresses: Address[]
  everyMs: [number, number]
  random: Random
  isOver: () => boolean
}): Promise<number> {
  const { it, addresses, everyMs, random, isOver } = settings
  let count = 0
  for (; !isOver(); count++) {
    await sleep(random.between(...everyMs))
    const address = random.pick(addresses)
    const token = newConnectorToken()
    address.changing = true
    await it.sql("update connection set token_sha256 = $2, token_replaced_at = now() where id = $1", [
      address.connection,
      hashConnectorToken(token),
    ])
    address.replaced.push(address.token)
    address.token = token
    address.changing = false
  }
  return count
}
