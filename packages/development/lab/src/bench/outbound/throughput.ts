import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure } from "../measure/measure.ts"
import { bareRequests } from "./baseline/bareRequests.ts"
import { totalOf } from "./cost.ts"
import { deliverBacklog } from "./load/deliverBacklog.ts"
import { startReceiving } from "./receiver/startBenchReceiver.ts"

const amount = 50_000
const channelCount = 100
/** Several rounds, because the machine's speed changes by a fifth within minutes. */
const rounds = 5
/**
 * The median ratio differs by this share between runs of the same code, so a smaller loss meets the target.
 */
const noise = 0.03

type Round = {
  perSecond: number
  baseline: number
  ratio: number
  cpuMs: number
  cpuRatio: number
  peak: number
}

/**
 * Measures the deliveries/s of one dispatcher with a backlog, and the CPU time of one delivery. The baseline,
 * before and after each round, is a bare loop that signs and posts with as many requests in flight.
 */
export async function measureThroughput(
  it: Installation,
  { progress, before }: BenchOptions,
): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(channelCount, (at) => `${receiver.url}/channel-${at}`)
  // This start fills Node's compile cache, which a container image already contains.
  await (await it.start("dispatcher")).end()
  const done: Round[] = []
  let loopBefore = await bareRequests(receiver.url, amount, progress)
  while (done.length < rounds) {
    const { dispatcher, perSecond, cost, peak } = await deliverBacklog(it, receiver, {
      amount,
      channels,
      progress,
    })
    await dispatcher.end()
    const loopAfter = await bareRequests(receiver.url, amount, progress)
    const baseline = (loopBefore.perSecond + loopAfter.perSecond) / 2
    const cpuMs = totalOf(cost)
    const cpuRatio = cpuMs / ((loopBefore.cpuMs + loopAfter.cpuMs) / 2)
    done.push({ perSecond, baseline, ratio: perSecond / baseline, cpuMs, cpuRatio, peak })
    loopBefore = loopAfter
  }
  await receiver.end()
  const rate = middle(done, ({ ratio }) => ratio)
  const cpu = middle(done, ({ cpuRatio }) => cpuRatio)
  progress(`ratios by rounds: ${done.map(({ ratio }) => ratio.toFixed(3)).join(" ")}`)
  progress(
    `CPU of a delivery by rounds: ${done.map((of) => `${of.cpuMs.toFixed(3)} ms (${of.cpuRatio.toFixed(2)})`).join(" ")}`,
  )
  const change = {
    rate: "deliveries/s relative to the bare loop, compared with before the change",
    cpu: "CPU of a delivery relative to a bare loop's request, compared with before the change",
  }
  return [
    judge("deliveries/s, backlog on the topic, 100 channels", rate.perSecond, rate.baseline, {
      kind: "ratio-at-least",
      bound: 0.38,
    }),
    judge(change.rate, rate.ratio, before(change.rate), { kind: "ratio-at-least", bound: 1 - noise }),
    judge(change.cpu, cpu.cpuRatio, before(change.cpu), { kind: "ratio-at-most", bound: 0.9 }),
    judge("resident memory of the dispatcher, backlog", Math.max(...done.map(({ peak }) => peak)), null, {
      kind: "value-at-most",
      bound: 200,
      unit: "MB",
    }),
  ]
}

function middle(rounds: readonly Round[], by: (round: Round) => number): Round {
  return rounds.toSorted((a, b) => by(a) - by(b))[Math.floor(rounds.length / 2)] as Round
}
