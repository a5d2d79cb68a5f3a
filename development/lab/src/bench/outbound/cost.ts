import { cpuMs } from "../../shared/processUsage.ts"
import type { Bench } from "../startBench.ts"

/** CPU time in milliseconds. */
export type Cost = { dispatcher: number; postgres: number; broker: number }
const parts = ["dispatcher", "postgres", "broker"] as const
const map = (of: (part: keyof Cost) => number): Cost => ({
  dispatcher: of("dispatcher"),
  postgres: of("postgres"),
  broker: of("broker"),
})

/** The returned function reports what was used since. */
export function countCost({ servers }: Bench, dispatcher: { pid: number }): () => Cost {
  const pids = { dispatcher: dispatcher.pid, postgres: servers.postgres.pid, broker: servers.brokers[0]?.pid }
  const read = () => map((part) => cpuMs(pids[part] ?? 0))
  const before = read()
  return () => {
    const after = read()
    return map((part) => after[part] - before[part])
  }
}

export const divide = (cost: Cost, by: number): Cost => map((part) => cost[part] / by)
export const totalOf = (cost: Cost): number => parts.reduce((sum, part) => sum + cost[part], 0)
/** The cost of a delivery, where `rounds` are of several deliveries each. */
export function meanCost(rounds: readonly { count: number; cost: Cost }[]): Cost {
  const counted = rounds.reduce((sum, { count }) => sum + count, 0)
  return map((part) => rounds.reduce((sum, { count, cost }) => sum + count * cost[part], 0) / counted)
}
export function describeCost(cost: Cost, unit = "ms"): string {
  const each = parts.map((part) => `${part} ${cost[part].toPrecision(3)}`)
  return `${totalOf(cost).toPrecision(3)} ${unit} of CPU (${each.join(", ")})`
}
