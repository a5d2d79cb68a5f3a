import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { waitUntil } from "@sitewire/testkit"
import { judge, type Measure } from "../measure.ts"
import { cpuMs, memoryMb } from "../processCost.ts"
import type { Installation } from "../startInstallation.ts"
import { eventOf } from "./events.ts"
import { maxInHand } from "./maxInHand.ts"
import { type Receiving, startReceiving } from "./receiving.ts"

const channels = 100
/**
 * Both sides run this many before they are measured: the compiler's work is not what is compared. A dispatcher's
 * processor time for a delivery falls until about the 25,000th.
 */
const warmUp = 30_000

/** Other machines on the same host make this one faster and slower by a fifth within minutes. */
const rounds = 5

type Round = { perSecond: number; baseline: number; ratio: number; cpu: number; peak: number }

/**
 * Deliveries a second of one dispatcher with the events already on the topic, beside a bare signing and posting loop that
 * has as many requests under way as the dispatcher may have records. The fewer they are, the faster the loop is: measured.md.
 * Of several rounds, each between two runs of the loop, the one with the middle ratio counts.
 */
export async function measureThroughput(
  it: Installation,
  amount: number,
  progress: (line: string) => void,
): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  await it.channels(channels, (at) => `${receiver.url}/channel-${at}`)
  const bare = async () => {
    const perSecond = await bareLoop(receiver.url, amount)
    progress(`baseline: ${Math.round(perSecond)}/s of a bare loop that signs and posts`)
    return perSecond
  }

  // What Node compiles is kept for the next start, as an image brings it along.
  await (await it.dispatcher()).end()
  const done: Round[] = []
  let before = await bare()
  while (done.length < rounds) {
    const { perSecond, cpu, peak } = await workOff(it, receiver, amount, progress)
    const after = await bare()
    const baseline = (before + after) / 2
    done.push({ perSecond, baseline, ratio: perSecond / baseline, cpu, peak })
    before = after
  }
  await receiver.end()
  const middle = done.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(rounds / 2)] as Round
  return [
    judge("deliveries/s, backlog on the topic, 100 channels", middle.perSecond, middle.baseline, {
      kind: "ratio-at-least",
      bound: 0.35,
    }),
    judge("CPU per delivered event, dispatcher, broker and database", middle.cpu, null, {
      kind: "value-at-most",
      bound: 0.15,
      unit: "ms",
    }),
    judge("resident memory of the dispatcher, backlog", Math.max(...done.map(({ peak }) => peak)), null, {
      kind: "value-at-most",
      bound: 200,
      unit: "MB",
    }),
  ]
}

/** Puts the events on the topic, and has a new dispatcher deliver them all. */
async function workOff(
  it: Installation,
  { take, reached }: Receiving,
  amount: number,
  progress: (line: string) => void,
): Promise<Pick<Round, "perSecond" | "cpu" | "peak">> {
  const total = warmUp + amount
  for (let from = 0; from < total; from += 1_000) {
    const events = Array.from({ length: 1_000 }, (_, at) => eventOf(from + at, channels))
    await it.publish(
      events.map((event) => ({ topic: it.names.sitePaid, key: event.id, value: JSON.stringify(event) })),
    )
  }
  progress(`${total} events are on the topic; starting the dispatcher`)
  await take()
  const dispatcher = await it.dispatcher({ MAX_IN_HAND: String(maxInHand) })
  const cpuSoFar = () => cpuMs(dispatcher.pid) + cpuMs(it.kafkaPid) + cpuMs(it.postgresPid)
  const begunAt = performance.now()
  const first = await reached(warmUp)
  progress(`${Math.round((1_000 * first) / (performance.now() - begunAt))}/s for the first ${first}`)
  const startedAt = performance.now()
  const before = cpuSoFar()
  await reached(total)
  const seconds = (performance.now() - startedAt) / 1_000
  await waitUntil("all records", async () => {
    const [row] = await it.sql<{ left: number }>(
      "select count(*)::int as left from delivery where state <> 'delivered'",
    )
    return row?.left === 0
  })
  const perSecond = (total - first) / seconds
  const cpu = (cpuSoFar() - before) / (total - first)
  progress(`${Math.round(perSecond)}/s, ${cpu.toFixed(3)} ms of CPU for each`)
  const { peak } = memoryMb(dispatcher.pid)
  await dispatcher.end()
  return { perSecond, cpu, peak }
}

async function bareLoop(url: string, amount: number): Promise<number> {
  const main = fileURLToPath(new URL("bareLoop.ts", import.meta.url))
  const child = fork(main, [url, String(amount), String(warmUp), String(maxInHand)])
  const [message] = await once(child, "message")
  return (message as { result: number }).result
}
