import { percentile } from "../../shared/percentile.ts"
import { memoryMb } from "../../shared/processUsage.ts"
import { judge, type Measure } from "../measure.ts"
import { type Bench, runForResult } from "../startBench.ts"
import type { Load, LoadResult } from "./triggerLoad.ts"

/** Bare Express and the gateway are measured alternately, because the machine's speed changes within minutes. */
const turns = 7
const seconds = 3
/** Load before the measurement lets V8 compile: a gateway's CPU time per trigger falls until about the 100,000th. */
const warmUpSeconds = 5

/** Measures the triggers/s that the gateway accepts, compared with bare Express, which only responds with 202. */
export async function measureAccepting(it: Bench): Promise<Measure[]> {
  const { progress } = it
  const paths = await it.addBenchConnections(10_000)
  const bare = await it.helper("bench/inbound/bareExpress.ts", { NODE_ENV: "production" })
  const gateway = await it.start("gateway", { NODE_ENV: "production" })
  type Options = Omit<Load, "port">
  const run = ({ addresses }: typeof bare, load: Options): Promise<LoadResult> =>
    runForResult("inbound/triggerLoad.ts", [], {
      ...load,
      port: Number(new URL(addresses.gateway ?? "").port),
    })
  const many: Options = { paths, clients: 512, seconds, perSecond: null }
  await run(bare, { ...many, seconds: warmUpSeconds })
  const first = await run(gateway, { ...many, seconds: warmUpSeconds })
  progress(`${Math.round(first.perSecond)}/s while the gateway warms up`)

  /** The medians of the turns. */
  const both = async (what: string, load: Options) => {
    const [theirs, ours]: [LoadResult[], LoadResult[]] = [[], []]
    for (let turn = 0; turn < turns; turn++) {
      theirs.push(await run(bare, load))
      ours.push(await run(gateway, load))
    }
    const other = ours.reduce((sum, result) => sum + result.other, 0)
    if (other > 0) throw new Error(`${other} requests had another response than 202: ${what}`)
    const [rate, bareRate] = [ours, theirs].map((of) => middle(of.map(({ perSecond }) => perSecond)))
    const [p99, bareP99] = [ours, theirs].map((of) => middle(of.map(({ p99Ms }) => p99Ms)))
    const ratios = ours.map((of, turn) => (of.perSecond / (theirs[turn]?.perSecond ?? 0)).toFixed(2))
    progress(`${what}: ${rate?.toFixed(0)}/s, bare ${bareRate?.toFixed(0)}/s; by turns ${ratios.join(" ")}`)
    return { rate: rate ?? 0, bareRate: bareRate ?? 0, p99: p99 ?? 0, bareP99: bareP99 ?? 0 }
  }
  const all = await both("10,000 connections, 512 clients", many)
  const one = await both("one connection, 512 clients", { ...many, paths: paths.slice(0, 1) })
  const paced = await both("1,000 requests/s", { ...many, clients: 64, perSecond: 1_000 })
  progress(`gateway's memory: ${memoryMb(gateway.pid).peak.toFixed(0)} MB at most`)
  const name = "accepted triggers/s"
  const p99 = "p99 of the response at 1,000 requests/s, ms"
  return [
    judge(`${name}, 10,000 connections, 512 clients`, all.rate, all.bareRate, "ratio-at-least", 0.6),
    judge(`${name}, one connection, 512 clients`, one.rate, one.bareRate, "ratio-at-least", 0.6),
    judge(p99, paced.p99, paced.bareP99, "more-at-most", 12, "ms"),
  ]
}

const middle = (values: readonly number[]) => percentile(values, 0.5)
