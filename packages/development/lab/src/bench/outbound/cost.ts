import type { Installation } from "../installation/startBenchInstallation.ts"

/** CPU time in milliseconds. */
export type Cost = { dispatcher: number; postgres: number; broker: number }

export function countCost(it: Installation, dispatcher: { pid: number }): () => Cost {
  const before = it.cpuOf(dispatcher)
  return () => {
    const after = it.cpuOf(dispatcher)
    return {
      dispatcher: after.dispatcher - before.dispatcher,
      postgres: after.postgres - before.postgres,
      broker: after.broker - before.broker,
    }
  }
}

export function totalOf({ dispatcher, postgres, broker }: Cost): number {
  return dispatcher + postgres + broker
}

export function divide(cost: Cost, by: number): Cost {
  return { dispatcher: cost.dispatcher / by, postgres: cost.postgres / by, broker: cost.broker / by }
}

export function describeCost(cost: Cost, unit: string): string {
  const parts = (["dispatcher", "postgres", "broker"] as const).map(
    (of) => `${of} ${cost[of].toPrecision(3)}`,
  )
  return `${totalOf(cost).toPrecision(3)} ${unit} of CPU (${parts.join(", ")})`
}
