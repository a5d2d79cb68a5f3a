import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { judge, type Measure } from "../measure.ts"
import { memoryMb } from "../processCost.ts"
import type { Installation } from "../startInstallation.ts"
import type { Load, LoadResult } from "./client.ts"
import { makeConnections } from "./connections.ts"

const connections = 10_000
const clients = 512
const seconds = 8

/** What the gateway accepts, each token checked and each trigger acknowledged, beside bare Express answering 202. */
export async function measureAccepting(
  it: Installation,
  progress: (line: string) => void,
): Promise<Measure[]> {
  const paths = await makeConnections(it.sql, connections)
  const [bare, gateway] = [
    await it.start("packages/bench/src/inbound/bareExpress.ts", { NODE_ENV: "production" }),
    await it.gateway({ NODE_ENV: "production" }),
  ]
  const both = async (what: string, load: Omit<Load, "port">) => {
    // Before and after: the machine itself is a fifth faster or slower from one minute to the next.
    const before = await run(bare.addresses.gateway, load)
    const value = await run(gateway.addresses.gateway, load)
    const after = await run(bare.addresses.gateway, load)
    if (value.other > 0) throw new Error(`${value.other} requests were not answered 202: ${what}`)
    const baseline = {
      perSecond: (before.perSecond + after.perSecond) / 2,
      p99Ms: (before.p99Ms + after.p99Ms) / 2,
    }
    progress(`${what}: ${Math.round(value.perSecond)}/s, bare ${Math.round(baseline.perSecond)}/s`)
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
      "accepted triggers/s, one connection hammered, 512 clients",
      one.value.perSecond,
      one.baseline.perSecond,
      ratio,
    ),
    judge("p99 of the answer at 1,000 requests/s, ms", paced.value.p99Ms, paced.baseline.p99Ms, {
      kind: "more-at-most",
      bound: 12,
      unit: "ms",
    }),
  ]
}

async function run(url: string | undefined, load: Omit<Load, "port">): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL("client.ts", import.meta.url)))
  child.send({ ...load, port: Number(new URL(url ?? "").port) })
  const [message] = await once(child, "message")
  return (message as { result: LoadResult }).result
}
