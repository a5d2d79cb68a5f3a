import type { StartedProcess } from "@sitewire/testkit/installation"
import { limitCpu } from "../machine/limitCpu.ts"

/** Longer than SHUTDOWN_DEADLINE. */
const killAfterMs = 30_000

/**
 * Starts `count` processes, which have ended when this resolves or rejects. `measure` calls `limit` to give each of them
 * a share of a core.
 */
export async function withReplicas<Result>(
  count: number,
  start: () => Promise<StartedProcess>,
  measure: (limit: (share: number) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const replicas: StartedProcess[] = []
  let unlimit = async () => {}
  async function limit(share: number): Promise<void> {
    unlimit = await limitCpu(
      replicas.map(({ pid }) => pid),
      share,
    )
  }
  try {
    const starts = Array.from({ length: count }, async () => void replicas.push(await start()))
    // If one cannot be started, the others that still start must be ended, too.
    await Promise.allSettled(starts)
    await Promise.all(starts)
    return await measure(limit)
  } finally {
    await Promise.all(replicas.map((replica) => replica.end("SIGTERM", killAfterMs)))
    await unlimit()
  }
}
