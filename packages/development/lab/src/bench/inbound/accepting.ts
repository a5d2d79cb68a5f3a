import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { memoryMb } from "../machine/processUsage.ts"
import { judge, type Measure, percentile } from "../measure/measure.ts"
import { runForResult } from "../measure/runForResult.ts"
import { addBenchConnections } from "./addBenchConnections.ts"
import type { Load, LoadResult } from "./triggerLoad.ts"

const connections = 10_000
const clients = 512
/**
 * Bare Express and the gateway are measured alternately, this many times each. The median of each counts,
 * because the machine's speed changes by a fifth within minutes.
 */
const turns = 7
const seconds = 3
/**
 * Load before the measurement lets V8 compile: a gateway's CPU time per trigger falls until about the
 * 100,000th.
 */
const warmUpSeconds = 5

/**
 * Measures the triggers/s that the gateway accepts, compared with bare Express, which only responds with 202.
 */
export async function measureAccepting(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const paths = await addBenchConnections(it, connections)
  const [bare, gateway] = [
    await it.helper("packages/development/lab/src/bench/inbound/bareExpress.ts", { NODE_ENV: "production" }),
    await it.start("gateway", { NODE_ENV: "production" }),
  ]
  const warmUp = { paths, clients, seconds: warmUpSeconds, perSecond: null }
  await run(bare.addresses.gateway, warmUp)
  const first = await run(gateway.addresses.gateway, warmUp)
  progress(`${Math.round(first.perSecond)}/s while the gateway warms up`)
  const both = async (what: string, load: Omit<Load, "port">) => {
    const [theirs, ours]: [LoadResult[], LoadResult[]] = [[], []]
    for (let turn = 0; turn < turns; turn++) {
      theirs.push(await run(bare.addresses.gateway, load))
      ours.push(await run(gateway.addresses.gateway, load))
    }
    const other = ours.reduce((sum, result) => sum + result.other, 0)
    if (other > 0) throw new Error(`${other} requests had another response than 202: ${what}`)
    const [value, baseline] = [middle(ours), middle(theirs)]
    const ratios = ours.map((of, turn) => (of.perSecond / (theirs[turn]?.perSecond ?? 0)).toFixed(2))
    progress(
      `${what}: ${Math.round(value.perSecond)}/s, bare ${Math.round(baseline.perSecond)}/s; by turns ${ratios.join(" ")}`,
    )
    return { value, baseline }
  }
  const many = await both("10,000 connections", { paths, clients, seconds, perSecond: null })
  const one = await both("one connection", { paths: paths.slice(0, 1), clients, seconds, perSecond: null })
  const paced = await both("1,000 requests/s", { paths, clients: 64, seconds, perSecond: 1_000 })
  progress(`gateway's memory: ${memoryMb(gateway.pid).peak.toFixed(0)} MB at most`)
  await gateway.end()
  await bare.end("SIGKILL")
  const ratio = { kind: "ratio-at-least", bound: 0.6 } as const
  return [
    judge(
      "accepted triggers/s, 10,000 connections, 512 clients",
      many.value.perSecond,
      many.baseline.perSecond,
      ratio,
    ),
    judge(
      "accepted triggers/s, one connection, 512 clients",
      one.value.perSecond,
      one.baseline.perSecond,
      ratio,
    ),
    judge("p99 of the response at 1,000 requests/s, ms", paced.value.p99Ms, paced.baseline.p99Ms, {
      kind: "more-at-most",
      bound: 12,
      unit: "ms",
    }),
  ]
}

function middle(results: LoadResult[]): { perSecond: number; p99Ms: number } {
  const of = (name: "perSecond" | "p99Ms") =>
    percentile(
      results.map((result) => result[name]),
      0.5,
    )
  return { perSecond: of("perSecond"), p99Ms: of("p99Ms") }
}

async function run(url: string | undefined, load: Omit<Load, "port">): Promise<LoadResult> {
  const file = new URL("triggerLoad.ts", import.meta.url)
  return runForResult<LoadResult>(file, [], { ...load, port: Number(new URL(url ?? "").port) })
}
