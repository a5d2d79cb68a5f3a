import { atMost, judge, type Measure } from "../measure.ts"
import { type Bench, runForResult } from "../startBench.ts"
import type { BareRequests } from "./bareLoop.ts"
import { totalOf } from "./cost.ts"
import { deliverBacklog, startReceiving, warmUp } from "./load.ts"

/** Default of MAX_OUTSTANDING_RECORDS. The bare loops, the baselines, have as many requests in flight. */
export const concurrency = 384
const amount = 50_000
/** Several rounds, because the machine's speed changes by a fifth within minutes. */
const rounds = 5
/** The median ratio differs by this share between runs of the same code, so a smaller loss meets the target. */
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
export async function measureThroughput(it: Bench): Promise<Measure[]> {
  const { progress, before } = it
  const receiver = await startReceiving(it)
  const channels = await it.channels(100, (at) => `${receiver.url}/channel-${at}`)
  // This start fills Node's compile cache, which a container image already contains.
  await (await it.start("dispatcher")).end()
  async function bareRequests(): Promise<BareRequests> {
    const args = [receiver.url, amount, warmUp, concurrency]
    const bare = await runForResult<BareRequests>("outbound/bareLoop.ts", args)
    progress(
      `bare loop: ${Math.round(bare.perSecond)} requests/s, ${bare.cpuMs.toFixed(4)} ms of CPU for each`,
    )
    return bare
  }
  const done: Round[] = []
  let loopBefore = await bareRequests()
  while (done.length < rounds) {
    const { perSecond, cost, peak } = await deliverBacklog(it, receiver, { amount, channels, end: true })
    const loopAfter = await bareRequests()
    const baseline = (loopBefore.perSecond + loopAfter.perSecond) / 2
    const cpuMs = totalOf(cost)
    const cpuRatio = cpuMs / ((loopBefore.cpuMs + loopAfter.cpuMs) / 2)
    done.push({ perSecond, baseline, ratio: perSecond / baseline, cpuMs, cpuRatio, peak })
    loopBefore = loopAfter
  }
  const rate = middle(done, ({ ratio }) => ratio)
  const cpu = middle(done, ({ cpuRatio }) => cpuRatio)
  progress(`ratios by rounds: ${done.map(({ ratio }) => ratio.toFixed(3)).join(" ")}`)
  const ofCpu = done.map(({ cpuMs, cpuRatio }) => `${cpuMs.toFixed(3)} ms (${cpuRatio.toFixed(2)})`)
  progress(`CPU of a delivery by rounds: ${ofCpu.join(" ")}`)
  const rateName = "deliveries/s relative to the bare loop, compared with before the change"
  const cpuName = "CPU of a delivery relative to a bare loop's request, compared with before the change"
  const peak = Math.max(...done.map(({ peak }) => peak))
  const name = "deliveries/s, backlog on the topic, 100 channels"
  return [
    judge(name, rate.perSecond, rate.baseline, "ratio-at-least", 0.38),
    judge(rateName, rate.ratio, before(rateName), "ratio-at-least", 1 - noise),
    judge(cpuName, cpu.cpuRatio, before(cpuName), "ratio-at-most", 0.9),
    atMost("resident memory of the dispatcher, backlog", peak, 200, "MB"),
  ]
}

function middle(rounds: readonly Round[], by: (round: Round) => number): Round {
  return rounds.toSorted((a, b) => by(a) - by(b))[Math.floor(rounds.length / 2)] as Round
}
