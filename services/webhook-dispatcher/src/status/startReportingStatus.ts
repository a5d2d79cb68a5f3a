import type { Sql } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"
import {
  type ChannelStatus,
  deleteDispatcher,
  deleteStatuses,
  findRecovered,
  writeHeartbeat,
  writeStatuses,
} from "./writeStatus.ts"

/** All statuses are written again at this interval, which shows which channels were deleted. */
const rewriteEveryMs = 60_000

export type ReportingParts = {
  sql: Sql
  dispatcher: string
  /** Channels that fail, are slow, or have deferred deliveries. */
  statuses: () => ChannelStatus[]
  onDeleted: (channel: string) => void
  onRecovered: (channel: string) => void
  intervalMs: number
  log: Logger
}

/** Writes what this process knows about channels to Postgres, for the console. Only changes are written. */
export function startReportingStatus(parts: ReportingParts): { close(): Promise<void> } {
  const { sql, dispatcher, statuses, onDeleted, onRecovered, intervalMs, log } = parts
  const written = new Map<string, string>()
  let rewriteAt = 0

  async function report(): Promise<void> {
    const { isNew } = await writeHeartbeat(sql, dispatcher)
    if (isNew || performance.now() >= rewriteAt) {
      if (isNew) written.clear()
      for (const channel of written.keys()) written.set(channel, "")
      rewriteAt = performance.now() + rewriteEveryMs
    }
    const open = statuses().filter(({ breakerOpenForMs }) => breakerOpenForMs !== null)
    if (open.length > 0) for (const channel of await findRecovered(sql, open)) onRecovered(channel)
    const current = new Map(statuses().map((status) => [status.channel, status]))
    const changed = [...current.values()].filter((status) => written.get(status.channel) !== textOf(status))
    if (changed.length > 0) {
      const existing = await writeStatuses(sql, dispatcher, changed)
      for (const status of changed) {
        if (existing.has(status.channel)) written.set(status.channel, textOf(status))
        else onDeleted(status.channel)
      }
    }
    const normal = [...written.keys()].filter((channel) => !current.has(channel))
    if (normal.length > 0) await deleteStatuses(sql, dispatcher, normal)
    for (const channel of normal) written.delete(channel)
  }

  const reporting = repeatUntilClosed({
    step: report,
    intervalMs,
    failed: "the status of channels could not be written; it is repeated",
    log,
  })
  return {
    async close() {
      await reporting.close()
      await deleteDispatcher(sql, dispatcher).catch((error: unknown) =>
        log.debug({ error }, "the status could not be deleted; it counts as outdated after a minute"),
      )
    },
  }
}

/** Without the time for which the breaker is open, which always changes. */
function textOf({ breakerOpenForMs, ...status }: ChannelStatus): string {
  return JSON.stringify({ ...status, open: breakerOpenForMs !== null })
}
