import { setTimeout as sleep } from "node:timers/promises"
import type { SitePaid } from "@sitewire/contracts"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { Random } from "../random.ts"
import { retryForTwoMinutes } from "../retryForTwoMinutes.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"

export const channelSecret = "a secret of the chaos run"

const channels = 50
/** Their deliveries are retried: they reject three requests of ten. */
const flakyChannels = 5
/**
 * This share of the calls is to connections that are called until one call is accepted, and never again: if that trigger
 * is lost, no later one hides it.
 */
const singleShare = 0.02
/** As a load balancer does, the load goes on using a gateway's address for a while after the gateway has begun to stop. */
const lingerMs = 300

export type Load = {
  /** How many events Kafka has acknowledged: all numbers below it. */
  published(): number
  /** How many trigger calls got each status. 0: no response. */
  statuses: Record<number, number>
  /** How many trigger calls were not made, because no gateway was there. */
  withoutGateway(): number
  /** For each connection, when its newest accepted call was sent. */
  accepted: Map<string, number>
  /** Rejects if the load cannot go on. */
  failed: Promise<never>
  stop(): Promise<void>
}

/** Publishes events and calls triggers at even rates until it is stopped. */
export async function startLoad(settings: {
  it: Pick<ChaosInstallation, "addChannel" | "addConnections" | "publish">
  /** The topic of events, which a run may change. */
  topic: () => string
  partners: string
  gateways: () => SupervisedProcess[]
  random: Random
  eventsPerSecond: number
  triggersPerSecond: number
  connections: number
  /** How many connections are added that are called until one call is accepted. */
  singles?: number
}): Promise<Load> {
  const { it, topic, partners, gateways, random, singles = 1_000 } = settings
  for (let at = 0; at < channels; at++) {
    const kind = at < flakyChannels ? "flaky" : "healthy"
    await it.addChannel({ id: `channel-${at}`, address: `${partners}/${kind}/${at}`, secret: channelSecret })
  }
  const add = async (name: string, count: number) => {
    const ids = Array.from({ length: count }, (_, at) => `${name}-${at}`)
    const tokens = await it.addConnections(ids.map((id) => ({ id, source: `${partners}/source/${id}` })))
    return ids.map((id, at) => ({ id, path: `/connectors/hook/${id}/${tokens[at]}/` }))
  }
  const connections = await add("connection", settings.connections)
  const unused = await add("single", singles)

  let over = false
  let published = 0
  const statuses: Record<number, number> = {}
  const accepted = new Map<string, number>()

  async function publish(): Promise<void> {
    let next = 0
    await atRate(settings.eventsPerSecond, async (count) => {
      const numbers = Array.from({ length: count }, () => next++)
      const records = numbers.map((number) => {
        const paid = makeEvent(number, `channel-${random.between(0, channels - 1)}`)
        return { key: paid.id, value: JSON.stringify(paid) }
      })
      await retryForTwoMinutes(() => it.publish(records.map((record) => ({ topic: topic(), ...record }))))
      published = next
    })
  }

  const lastSeen = new Map<string, number>()
  function usableGateways(): string[] {
    const now = performance.now()
    for (const gateway of gateways()) {
      const address = gateway.addresses().gateway
      if (address !== undefined) lastSeen.set(address, now)
    }
    for (const [address, at] of lastSeen) if (now - at > lingerMs) lastSeen.delete(address)
    return [...lastSeen.keys()]
  }

  let turn = 0
  let withoutGateway = 0
  async function trigger(): Promise<void> {
    const up = usableGateways()
    const gateway = up[turn++ % up.length]
    if (gateway === undefined) {
      withoutGateway += 1
      return
    }
    const single = random.next() < singleShare ? unused.pop() : undefined
    const { id, path } = single ?? random.pick(connections)
    const sentAt = Date.now()
    const status = await call(`${gateway}${path}`)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 202) accepted.set(id, Math.max(sentAt, accepted.get(id) ?? 0))
    else if (single) unused.push(single)
  }

  const calls = new Set<Promise<void>>()
  async function triggers(): Promise<void> {
    await atRate(settings.triggersPerSecond, async (count) => {
      for (let at = 0; at < count && calls.size < 500; at++) {
        const calling: Promise<void> = trigger().finally(() => calls.delete(calling))
        calls.add(calling)
      }
    })
    await Promise.all(calls)
  }

  async function atRate(perSecond: number, work: (count: number) => Promise<void>): Promise<void> {
    const startedAt = performance.now()
    let done = 0
    while (!over) {
      // After a pause, at most two seconds of load are made up for.
      const due = Math.floor((perSecond * (performance.now() - startedAt)) / 1_000)
      done = Math.max(done, due - 2 * perSecond)
      if (due > done) await work(due - done)
      done = due
      await sleep(20)
    }
  }

  const running = Promise.all([publish(), triggers()])
  const failed = new Promise<never>((_, reject) => void running.catch(reject))
  // `stop` rejects with the failure, too.
  failed.catch(() => {})
  return {
    published: () => published,
    statuses,
    withoutGateway: () => withoutGateway,
    accepted,
    failed,
    async stop() {
      over = true
      await running
    },
  }
}

async function call(url: string): Promise<number> {
  try {
    const response = await fetch(url, { method: "POST", signal: AbortSignal.timeout(15_000) })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

function makeEvent(number: number, channel: string): SitePaid {
  return {
    id: `event-${number}`,
    channel,
    reference: `${number}:${Date.now()}`,
    site_url: `https://shop-${number}.sites.example`,
    console_url: `https://console.sites.example/shop-${number}`,
    name: "A shop under load",
    email: "owner@customer.example",
    created_at: "2030-01-02T03:04:05+00:00",
  }
}
