import { judge, type Measure } from "../measure.ts"
import { measureInPairs, type Side } from "../measureInPairs.ts"
import { type Bench, runForResult } from "../startBench.ts"
import type { BareRequests } from "./bareLoop.ts"
import { type Cost, totalOf } from "./cost.ts"
import { deliverBacklog, type Receiving, startReceiving, warmUp } from "./load.ts"
import { makeCertificates, partnerCount, partnerUrl } from "./tlsPartners.ts"

/** Default of MAX_OUTSTANDING_RECORDS. The bare loop has as many requests in flight. */
const concurrency = 384

/** Measures the deliveries/s of one dispatcher with a backlog to 100 channels, and the CPU time of one delivery. */
export async function measureThroughput(it: Bench): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(100, (at) => `${receiver.url}/channel-${at}`)
  const what = "backlog to 100 channels, beside a bare loop"
  const bounds = { rate: 0.45, cpu: 2.8 }
  const loop = [receiver.url]
  return compareWithLoop(it, { what, receiver, channels, amount: 50_000, bounds, loop, costOf: totalOf })
}

/**
 * The same to 3,000 partners over TLS. Each has a name that is looked up, and gets every 3,000th event. The bare loop
 * keeps all connections open. The CPU time is the dispatcher's.
 */
export async function measureTls(it: Bench): Promise<Measure[]> {
  const issuer = makeCertificates(it.directory)
  const receiver = await startReceiving(it, { CERTIFICATES: it.directory })
  const { tlsPort = "", nameServer = "" } = receiver.addresses
  return compareWithLoop(it, {
    what: `backlog to ${partnerCount} partners over TLS, beside a bare loop`,
    receiver,
    channels: await it.channels(partnerCount, (at) => `${partnerUrl(at, tlsPort)}/hook`),
    amount: 15_000,
    bounds: { rate: 0.7, cpu: 1.43 },
    loop: [tlsPort, nameServer, issuer],
    costOf: ({ dispatcher }) => dispatcher,
    env: {
      NODE_EXTRA_CA_CERTS: issuer,
      NODE_OPTIONS: `--import ${new URL("useNameServer.ts", import.meta.url)}`,
      NAME_SERVER: nameServer,
    },
  })
}

/** The bare loop only signs and posts. Its arguments are `loop`, after the amounts. */
async function compareWithLoop(
  it: Bench,
  settings: {
    what: string
    receiver: Receiving
    channels: string[]
    amount: number
    /** The least share of the loop's rate, and how many times its CPU time for a request. */
    bounds: { rate: number; cpu: number }
    loop: string[]
    costOf: (cost: Cost) => number
    env?: Record<string, string>
  },
): Promise<Measure[]> {
  const { what, receiver, channels, amount, bounds, loop, costOf, env = {} } = settings
  // This start fills Node's compile cache, which a container image already contains.
  await (await it.start("dispatcher", env)).end()
  const cpuMs: Record<Side, number[]> = { value: [], baseline: [] }
  const run = async (side: Side): Promise<BareRequests> => {
    if (side === "value") {
      const { perSecond, cost } = await deliverBacklog(it, receiver, { amount, channels, env })
      return { perSecond, cpuMs: costOf(cost) }
    }
    const bare = await runForResult<BareRequests>("outbound/bareLoop.ts", [
      amount,
      warmUp,
      concurrency,
      ...loop,
    ])
    it.progress(`bare loop: ${Math.round(bare.perSecond)}/s, ${bare.cpuMs.toFixed(4)} ms of CPU for each`)
    return bare
  }
  const time = await measureInPairs<number>({
    measure: `ms of a delivery, ${what}`,
    bound: 1 / bounds.rate,
    pairs: { least: 3, most: 6 },
    async run(side) {
      const { perSecond, cpuMs: used } = await run(side)
      cpuMs[side].push(used)
      return [1_000 / perSecond]
    },
    statistic: mean,
    progress: it.progress,
  })
  const [value, baseline] = [mean(cpuMs.value), mean(cpuMs.baseline)]
  return [time, judge(`CPU of a delivery, ${what}, ms`, value, baseline, "ratio-at-most", bounds.cpu)]
}

const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length
