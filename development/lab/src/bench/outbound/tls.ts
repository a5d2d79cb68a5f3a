import { judge, type Measure } from "../measure.ts"
import { measureInPairs, type Side } from "../measureInPairs.ts"
import { type Bench, runForResult } from "../startBench.ts"
import type { BareRequests } from "./bareLoop.ts"
import { deliverBacklog, startReceiving, warmUp } from "./load.ts"
import { concurrency } from "./throughput.ts"
import { makeCertificates, partnerCount, partnerUrl } from "./tlsPartners.ts"

const amount = 15_000
/** A dispatcher has to reach 0.7 of the loop's rate, so a delivery may take so many times as long. */
const bound = 1.43

/**
 * Measures the time of a delivery from a backlog to 3,000 partners over TLS, and the dispatcher's CPU time for it. Each
 * partner has a name that is looked up, and gets every 3,000th event. The baseline is a bare loop to the same partners,
 * which keeps all connections open.
 */
export async function measureTls(it: Bench): Promise<Measure[]> {
  const issuer = makeCertificates(it.directory)
  const receiver = await startReceiving(it, { CERTIFICATES: it.directory })
  const { tlsPort = "", nameServer = "" } = receiver.addresses
  const channels = await it.channels(partnerCount, (at) => `${partnerUrl(at, tlsPort)}/hook`)
  const env = {
    NODE_EXTRA_CA_CERTS: issuer,
    NODE_OPTIONS: `--import ${new URL("useNameServer.ts", import.meta.url)}`,
    NAME_SERVER: nameServer,
  }
  // This start fills Node's compile cache, which a container image already contains.
  await (await it.start("dispatcher", env)).end()
  const cpuMs: Record<Side, number[]> = { value: [], baseline: [] }
  const deliver = async (side: Side) => {
    if (side === "value") {
      const { perSecond, cost } = await deliverBacklog(it, receiver, { amount, channels, env, end: true })
      return { perSecond, cpuMs: cost.dispatcher }
    }
    const args = [tlsPort, amount, warmUp, concurrency, nameServer, issuer]
    const bare = await runForResult<BareRequests>("outbound/bareLoop.ts", args)
    it.progress(`bare loop: ${Math.round(bare.perSecond)}/s, ${bare.cpuMs.toFixed(4)} ms of CPU for each`)
    return bare
  }
  const what = `backlog to ${partnerCount} partners over TLS, beside a bare loop`
  const time = await measureInPairs<number>({
    measure: `ms of a delivery, ${what}`,
    bound,
    pairs: { least: 3, most: 6 },
    async run(side) {
      const round = await deliver(side)
      cpuMs[side].push(round.cpuMs)
      return [1_000 / round.perSecond]
    },
    statistic: mean,
    progress: it.progress,
  })
  const cpu = judge(
    `CPU of the dispatcher for a delivery, ${what}`,
    mean(cpuMs.value),
    mean(cpuMs.baseline),
    "ratio-at-most",
    bound,
  )
  return [time, cpu]
}

const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length
