import { batchCalls, type Logger, whileLocked } from "@sitewire/runtime"
import type { Completion, Finish } from "./finishRuns.ts"

export type RecordEndOptions = {
  /** Retries while Postgres is unavailable. Returns the results in the order of `batch`. */
  finishRuns: (batch: Completion[]) => Promise<(Finish | "locked")[]>
  expiring: AbortSignal
  log: Logger
}

/** Records the ends of runs in batches. If a connection's row is locked, its end waits, and not its batch. */
export function createRecordEnd({ finishRuns, expiring, log }: RecordEndOptions) {
  const finish = batchCalls({ lingerMs: 2, maxBatch: 500, maxRunning: 2, run: finishRuns })
  const locked = new Set<Completion>()

  async function record(completion: Completion): Promise<Finish> {
    async function work(): Promise<Finish | "locked"> {
      const finished = await finish(completion)
      if (finished === "locked") locked.add(completion)
      return finished
    }
    try {
      return await whileLocked({ owner: { connection: completion.connection }, work, signal: expiring, log })
    } finally {
      locked.delete(completion)
    }
  }

  /** `locked`: how many ends wait for a row. */
  return { record, locked: () => locked.size }
}
