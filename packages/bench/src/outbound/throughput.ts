import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { waitUntil } from "@sitewire/testkit"
import { judge, type Measure } from "../measure.ts"
import { cpuMs, memoryMb } from "../processCost.ts"
import type { Installation } from "../startInstallation.ts"
import { eventOf } from "./events.ts"
import { startReceiving } from "./receiving.ts"

const channels = 100
const concurrency = 256
/**
 * Both sides run this many before they are measured: the compiler's work is not what is compared. A dispatcher's
 * processor time for a delivery falls until about the 25,000th.
 */
const warmUp = 30_000

/** Deliveries a second of one dispatcher with the events already on the topic, beside a bare signing and posting loop. */
export async function measureThroughput(
  it: Installation,
  amount: number,
  progress: (line: string) => void,
): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const { url, reached } = receiver
  await it.channels(channels, (at) => `${url}/channel-${at}`)

  progress("baseline: a bare loop that signs and posts")
  const bareBefore = await bareLoop(url, amount)
  progress(`baseline: ${Math.round(bareBefore)}/s`)

  const total = warmUp + amount
  for (let from = 0; from < total; from += 1_000) {
    const events = Array.from({ length: 1_000 }, (_, at) => eventOf(from + at, channels))
    await it.publish(
      events.map((event) => ({ topic: it.names.sitePaid, key: event.id, value: JSON.stringify(event) })),
    )
  }
  progress(`${total} events are on the topic; starting the dispatcher`)
  await receiver.take()
  const dispatcher = await it.dispatcher()
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
  // Once more: other machines on the same host make this one faster and slower by a fifth within minutes.
  const bareAfter = await bareLoop(url, amount)
  progress(`baseline again: ${Math.round(bareAfter)}/s`)
  const baseline = (bareBefore + bareAfter) / 2
  await receiver.end()
  return [
    judge("deliveries/s, backlog on the topic, 100 channels", perSecond, baseline, {
      kind: "ratio-at-least",
      bound: 0.35,
    }),
    judge("CPU per delivered event, dispatcher, broker and database", cpu, null, {
      kind: "value-at-most",
      bound: 0.15,
      unit: "ms",
    }),
    judge("resident memory of the dispatcher, backlog", peak, null, {
      kind: "value-at-most",
      bound: 200,
      unit: "MB",
    }),
  ]
}

async function bareLoop(url: string, amount: number): Promise<number> {
  const main = fileURLToPath(new URL("bareLoop.ts", import.meta.url))
  const child = fork(main, [url, String(amount), String(warmUp), String(concurrency)])
  const [message] = await once(child, "message")
  return (message as { result: number }).result
}
