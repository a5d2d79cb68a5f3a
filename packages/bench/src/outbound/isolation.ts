import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { judge, type Measure, percentile } from "../measure.ts"
import { memoryMb } from "../processCost.ts"
import type { Installation } from "../startInstallation.ts"
import { maxInHand } from "./maxInHand.ts"
import { clockMs, publishPaced } from "./publishPaced.ts"
import { type Receiving, startReceiving } from "./receiving.ts"
import { watchOthers } from "./watchOthers.ts"
import { type StallWatch, watchStalls } from "./watchStalls.ts"

const channels = 11
const seconds = 20
/** Seconds of a phase that must be left to count with: fewer have a p99 that one of them decides. */
const leastCounted = 5
/** Until the heap has its size: a new process marks it once as it grows, 30 ms that are in nobody's way later. */
const warmUp = 12_000
const warmUpPerSecond = 2_000
/** The dispatcher's default for an attempt. */
const timeoutSeconds = 10

/**
 * So long that what the hanging channel could not take in one phase comes back in no other one. The usual shortest delay
 * of a minute is longer than a phase too, so a phase by itself sees no difference.
 */
export const isolationRetryDelaysMs = [1_800_000, 3_600_000]

const usualRate = 300
/** At this rate, what comes for one channel in the time of an attempt is twice what may be in hand. */
const fillingRate = Math.ceil(((2 * maxInHand) / timeoutSeconds) * channels)

type Eleventh = "/answers" | "/hang"

/** Each side three times, and neither always first: the machine is not the same from one minute to the next. */
const order: Eleventh[] = ["/answers", "/hang", "/hang", "/answers", "/answers", "/hang"]

/** `p99` in milliseconds, of the seconds in which the machine did not stand still. */
type Phase = { p99: number; peak: number }

/**
 * The latency of ten channels while an eleventh never answers, beside the same load with all eleven answering. A p99 is
 * decided by a few stalls of the machine, which come with either side and not in each run. So both leave out the seconds
 * in which it stood still, and count with the middle one of their phases; the p99 of all is among the lines of progress.
 */
export async function measureIsolation(
  it: Installation,
  progress: (line: string) => void,
): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const stalls = await watchStalls(join(it.directory, "block"))
  await writeFirst(it)
  const measures: Measure[] = []
  let most = 0
  for (const perSecond of [usualRate, fillingRate]) {
    const p99s: Record<Eleventh, number[]> = { "/answers": [], "/hang": [] }
    for (const eleventh of order) {
      const { p99, peak } = await runPhase(it, receiver, stalls, { perSecond, eleventh }, progress)
      p99s[eleventh].push(p99)
      most = Math.max(most, peak)
    }
    measures.push(
      judge(
        `p99 of 10 healthy channels with an 11th hanging, ${perSecond} events/s, ms`,
        percentile(p99s["/hang"], 0.5),
        percentile(p99s["/answers"], 0.5),
        { kind: "ratio-at-most", bound: 1.2 },
      ),
    )
  }
  await stalls.end()
  await receiver.end()
  measures.push(
    judge("resident memory of the dispatcher, one channel hanging", most, null, {
      kind: "value-at-most",
      bound: 200,
      unit: "MB",
    }),
  )
  return measures
}

/**
 * The broker makes the files of a partition with its first record, which holds up the others for tens of milliseconds.
 * That is not what one phase is compared for with the other.
 */
async function writeFirst(it: Installation): Promise<void> {
  const due = { attempt: 1, failures: 0, since: new Date().toISOString(), correlation: "first" }
  const topic = it.names.retry[0] ?? ""
  const deliveries = Array.from({ length: 100 }, () => randomUUID())
  await it.publish(
    deliveries.map((delivery) => ({ topic, key: delivery, value: JSON.stringify({ delivery, ...due }) })),
  )
}

/**
 * Each phase has a process of its own, warmed up in the same way with all channels answering. One process for both
 * sides would take the open breaker, the failures counted and the attempts under way from a phase into the next.
 */
async function runPhase(
  it: Installation,
  receiver: Receiving,
  stalls: StallWatch,
  { perSecond, eleventh }: { perSecond: number; eleventh: Eleventh },
  progress: (line: string) => void,
): Promise<Phase> {
  const point = (path: string) =>
    it.channels(channels, (at) => `${receiver.url}${at === channels - 1 ? path : `/timed-${at}`}`)
  await point("/answers")
  const dispatcher = await it.dispatcher()
  await receiver.take()
  await publishPaced(it, { perSecond: warmUpPerSecond, amount: warmUp, channels })
  await receiver.reached(warmUp)
  await point(eleventh)
  await receiver.take()
  const others = watchOthers()
  const amount = Math.floor((perSecond * seconds) / channels) * channels
  const begunAt = clockMs()
  await publishPaced(it, { perSecond, amount, channels })
  const hangs = eleventh === "/hang"
  await receiver.reached(hangs ? (amount / channels) * (channels - 1) : amount)
  const { latencies, hanging } = await receiver.take()
  const { peak } = memoryMb(dispatcher.pid)
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map((share) => percentile(latencies, share).toFixed(1))
  progress(
    `${perSecond} events/s, the 11th ${hangs ? "hangs" : "answers"}: ${latencies.length} to healthy channels, ` +
      `p50 ${p50} ms, p99 ${p99} ms, p99.9 ${p999} ms; ${hanging} attempts hung; peak ${peak.toFixed(0)} MB; ${others()}`,
  )
  const size = latencies.length / seconds
  const slices = Array.from({ length: seconds }, (_, at) => ({
    latencies: latencies.slice(at * size, (at + 1) * size),
    still: stalls.stoodStill(begunAt + at * 1_000, begunAt + (at + 1) * 1_000),
  }))
  const bySecond = slices.map((of) => percentile(of.latencies, 0.99).toFixed(0) + (of.still ? "!" : ""))
  progress(`p99 by second, left out with "!" as the machine stood still: ${bySecond.join(" ")}`)
  progress(await counters(dispatcher.addresses.ops))
  await dispatcher.end()
  const counted = slices.filter((of) => !of.still)
  if (counted.length < leastCounted) {
    throw new Error(
      `The machine stood still in ${seconds - counted.length} of a phase's ${seconds} seconds, so its p99 would say ` +
        "nothing of the dispatcher. Run this part again when nothing else uses the machine.",
    )
  }
  const latenciesCounted = counted.flatMap((of) => of.latencies)
  return { p99: percentile(latenciesCounted, 0.99), peak }
}

/** What became of the hanging channel's deliveries, for whoever asks why a figure is as it is. */
async function counters(ops: string | undefined): Promise<string> {
  const text = await fetch(`${ops}/metrics`).then((answer) => answer.text())
  const names = ["put_off_total", "attempts_total", "in_hand", "in_flight", "breakers_open"]
  const lines = text.split("\n").filter((line) => !line.startsWith("#"))
  return lines
    .filter((line) => names.some((name) => line.split(/[ {]/)[0]?.endsWith(name)))
    .map((line) => line.replace(/,?service="[^"]*"/, "").replace("{}", ""))
    .join(", ")
}
