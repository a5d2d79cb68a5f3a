import { setTimeout as sleep } from "node:timers/promises"
import type { SitePaid } from "@sitewire/contracts"
import type { SupervisedProcess } from "@sitewire/installation"
import type { Random } from "../random.ts"
import { retryForTwoMinutes } from "../retryForTwoMinutes.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"

export const channelSecret = "a secret of the chaos run"

const channels = 50
/** Their deliveries are retried: they reject three requests of ten. */
const flakyChannels = 5

export type Load = {
  /** How many events Kafka has acknowledged: all numbers below it. */
  published(): number
  /** How many trigger calls got each status. 0: no response. */
  statuses: Record<number, number>
  /** For each connection, when its newest accepted call was sent. */
  accepted: Map<string, number>
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
}): Promise<Load> {
  const { it, topic, partners, gateways, random } = settings
  for (let at = 0; at < channels; at++) {
    const kind = at < flakyChannels ? "flaky" : "healthy"
    await it.addChannel({ id: `channel-${at}`, address: `${partners}/${kind}/${at}`, secret: channelSecret })
  }
  const ids = Array.from({ length: settings.connections }, (_, at) => `connection-${at}`)
  const tokens = await it.addConnections(ids.map((id) => ({ id, source: `${partners}/source/${id}` })))

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

  let turn = 0
  async function trigger(): Promise<void> {
    const at = random.between(0, ids.length - 1)
    const up = gateways().flatMap((gateway) => gateway.addresses().gateway ?? [])
    const gateway = up[turn++ % up.length]
    // No gateway is ready, so a load balancer responds with 503.
    const sentAt = Date.now()
    const status = gateway ? await call(`${gateway}/connectors/hook/${ids[at]}/${tokens[at]}/`) : 503
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 202) accepted.set(ids[at] ?? "", Math.max(sentAt, accepted.get(ids[at] ?? "") ?? 0))
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
  // `stop` rejects with the failure.
  running.catch(() => {})
  return {
    published: () => published,
    statuses,
    accepted,
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
