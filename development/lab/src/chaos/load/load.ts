import { setTimeout as sleep } from "node:timers/promises"
import type { SitePaid } from "@sitewire/contracts"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import { paidEvent } from "../../shared/paidEvent.ts"
import type { Random } from "../../shared/random.ts"
import type { Lab } from "../../shared/startLab.ts"
import { retryForTwoMinutes } from "../run.ts"

const channelSecret = "a secret of the chaos run"

/** The partners of a run, whose `addresses` are by their behaviour. With `record`, they store each request. */
export function startPartners(it: Pick<Lab, "helper">, seed: number, { record = false } = {}) {
  const env = {
    CHAOS_SECRET: channelSecret,
    CHAOS_SEED: String(seed),
    ...(record && { CHAOS_RECORD: "yes" }),
  }
  return it.helper("chaos/load/partners.ts", env)
}

/** Adds channel-0, channel-1, … */
export async function addChannels(
  { addChannel }: Pick<Lab, "addChannel">,
  origins: Record<string, string>,
  count: number,
  behaviourOf: (channel: number) => string,
): Promise<void> {
  for (let at = 0; at < count; at++) {
    const [id, kind] = [`channel-${at}`, behaviourOf(at)]
    await addChannel({ id, address: `${origins[kind]}/${kind}/${id}`, secret: channelSecret })
  }
}

/** Calls `work` with a number of units so that they come at an even rate, until `isOver` or `atMost` are done. */
async function atRate(
  { perSecond, isOver, atMost = Number.POSITIVE_INFINITY }: Rate,
  work: (count: number) => Promise<void> | void,
): Promise<void> {
  let from = performance.now()
  let done = 0
  while (!isOver() && done < atMost) {
    const now = performance.now()
    // After a pause, at most two seconds of load are made up for.
    from = Math.max(from, now - 1_000 * (done / perSecond + 2))
    const due = Math.min(atMost, Math.floor((perSecond * (now - from)) / 1_000))
    if (due > done) await work(due - done)
    done = Math.max(done, due)
    await sleep(20)
  }
}

type Rate = { perSecond: number; isOver: () => boolean; atMost?: number | undefined }

/**
 * Publishes event-0, event-1, … to channels that `pickChannel` chooses. Retries each batch for up to two minutes. An
 * event's `reference` is its number and the time of its publishing. `isTwice`: of which events a second record is published at once,
 * under another key and so, usually, in another partition.
 */
export function publishEvents(
  settings: Rate & {
    it: Pick<Lab, "publish">
    /** The topic of events, which a run may change. */
    topic: () => string
    pickChannel: () => string
    isTwice?: (event: SitePaid) => boolean
    onPublished: (events: SitePaid[]) => void
  },
): Promise<void> {
  const { it, topic, pickChannel, isTwice = () => false, onPublished } = settings
  let next = 0
  return atRate(settings, async (count) => {
    const events = Array.from({ length: count }, () => {
      const number = next++
      return paidEvent(`event-${number}`, pickChannel(), `${number}:${Date.now()}`)
    })
    const records = events.flatMap((event) => {
      const keys = isTwice(event) ? [event.id, `${event.id} again`] : [event.id]
      return keys.map((key) => ({ key, value: JSON.stringify(event) }))
    })
    await retryForTwoMinutes(() => it.publish(records.map((record) => ({ topic: topic(), ...record }))))
    onPublished(events)
  })
}

export type Triggered = {
  connection: string
  token: string
  /** The earlier tokens whose replacement is committed. */
  replaced: string[]
  /** While a token is being replaced, either token may be valid. */
  changing: boolean
}

/** Adds <name>-0, <name>-1, … */
export async function addConnections(
  it: Pick<Lab, "addConnections">,
  name: string,
  count: number,
  sourceOf: (at: number) => string,
): Promise<Triggered[]> {
  const added = Array.from({ length: count }, (_, at) => ({ id: `${name}-${at}`, source: sourceOf(at) }))
  const tokens = await it.addConnections(added.map(({ id, source }) => ({ id, source: `${source}/${id}` })))
  return added.map(({ id }, at) => ({
    connection: id,
    token: tokens[at] ?? "",
    replaced: [],
    changing: false,
  }))
}

/** Times are milliseconds since the epoch. */
export type Call = {
  connection: string
  sentAt: number
  /** 0: no response. */
  status: number
  /**
   * Whether the call's token was the current one. `valid`: all the time from request to response. `replaced`:
   * already replaced before the request. `between`: replaced between request and response, so that both 202
   * and 404 are right.
   */
  token: "valid" | "replaced" | "between"
}

/** As a load balancer does, the load goes on using a gateway's address for a while after the gateway has begun to stop. */
const lingerMs = 300
const callLimitMs = 15_000

/** Calls triggers of random connections. Reports null for a call that was not made, because no gateway was there. */
export async function callTriggers(
  settings: Rate & {
    gateways: () => readonly SupervisedProcess[]
    connections: readonly Triggered[]
    /** Called until one call is accepted, and never again: if that trigger is lost, no later one hides the loss. */
    singles: readonly Triggered[]
    /** The share of calls to `singles`. */
    singleShare: number
    random: Random
    onCall: (call: Call | null) => void
  },
): Promise<void> {
  const { gateways, connections, singleShare, random, onCall } = settings
  const unused = [...settings.singles]
  const lastSeen = new Map<string, number>()
  const calls = new Set<Promise<void>>()
  let turn = 0

  function pickGateway(): string | undefined {
    const now = performance.now()
    for (const { gateway } of gateways().map((each) => each.addresses()))
      if (gateway !== undefined) lastSeen.set(gateway, now)
    for (const [address, at] of lastSeen) if (now - at > lingerMs) lastSeen.delete(address)
    return [...lastSeen.keys()][turn++ % lastSeen.size]
  }
  async function call(): Promise<void> {
    const gateway = pickGateway()
    if (gateway === undefined) return onCall(null)
    const single = random.next() < singleShare ? unused.pop() : undefined
    const one = single ?? random.pick(connections)
    const useOld = one.replaced.length > 0 && random.next() < 0.2
    const made = await callOnce(gateway, one, useOld ? random.pick(one.replaced) : one.token)
    onCall(made)
    if (single && made.status !== 202) unused.push(single)
  }
  await atRate(settings, (count) => {
    for (let at = 0; at < count && calls.size < 500; at++) {
      const calling: Promise<void> = call().finally(() => calls.delete(calling))
      calls.add(calling)
    }
  })
  await Promise.all(calls)
}

async function callOnce(gateway: string, one: Triggered, token: string): Promise<Call> {
  const { connection } = one
  const sentAt = Date.now()
  const wasReplaced = one.replaced.includes(token)
  const wasChanging = one.changing
  let status = 0
  try {
    const signal = AbortSignal.timeout(callLimitMs)
    const response = await fetch(`${gateway}/connectors/hook/${connection}/${token}/`, {
      method: "POST",
      signal,
    })
    status = response.status
    await response.arrayBuffer()
  } catch {
    // If the response's head has arrived, its status counts, even if the body failed.
  }
  const isValid = !wasChanging && !one.changing && one.token === token
  const state = wasReplaced ? "replaced" : isValid ? "valid" : "between"
  return { connection, sentAt, status, token: state }
}
