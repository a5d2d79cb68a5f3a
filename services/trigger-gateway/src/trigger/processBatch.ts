import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Producer } from "@sitewire/kafka"
import type { GatewayMetrics } from "../metrics.ts"
import type { BatchRun, ReceivedTrigger, TriggerOutcome } from "./batchTriggers.ts"
import { checkTokens } from "./checkTokens.ts"
import { mergeTriggers } from "./mergeTriggers.ts"
import type { StoredToken } from "./readTokenHashes.ts"

export type ProcessBatchParts = {
  readHashes: (connections: string[]) => Promise<Map<string, StoredToken>>
  /** Called after the responses, for each wrong token that may be one that was replaced. */
  onMaybeReplaced: (connection: string, hash: Buffer, at: number) => void
  publish: Producer["publish"]
  topic: string
  metrics: GatewayMetrics
  onPublished: (records: readonly ConnectorTriggered[]) => void
}

const notFound: TriggerOutcome = { status: "not found" }
const failed: TriggerOutcome = { status: "unavailable", why: "failed" }

/**
 * After this time, another batch may start although some partitions have not acknowledged this batch's
 * records. So a slow partition does not hold up the triggers of the others.
 */
const releaseAfterMs = 50

export function createProcessBatch(parts: ProcessBatchParts) {
  const { readHashes, onMaybeReplaced, publish, topic, metrics, onPublished } = parts
  return async (batch: ReceivedTrigger[], { settle, isLate, release }: BatchRun): Promise<void> => {
    metrics.batch("check", batch.length)
    const checked = await checkTokens(batch, readHashes)
    const indexes = new Map<string, number[]>()
    batch.forEach(({ connection }, index) => {
      const known = indexes.get(connection)
      if (!checked[index]?.valid) settle(index, notFound)
      else if (known) known.push(index)
      else indexes.set(connection, [index])
    })
    batch.forEach(({ connection, at }, index) => {
      const hash = checked[index]?.mayBeReplaced
      if (hash) onMaybeReplaced(connection, hash, at)
    })
    if (indexes.size === 0 || isLate()) return

    const merged = mergeTriggers(batch.filter((_, index) => checked[index]?.valid))
    let published: ConnectorTriggered[] = []
    let triggers = 0
    function report(): void {
      if (published.length === 0) return
      onPublished(published)
      published = []
    }
    const timer = setTimeout(() => {
      release()
      report()
    }, releaseAfterMs)

    async function publishOne(record: ConnectorTriggered): Promise<void> {
      const settleAll = (outcome: TriggerOutcome) => {
        for (const index of indexes.get(record.connection) ?? []) settle(index, outcome)
      }
      try {
        await publish([{ topic, key: record.connection, value: JSON.stringify(record) }])
      } catch {
        return settleAll(failed)
      }
      published.push(record)
      triggers += record.count
      settleAll({ status: "accepted", correlation: record.correlation })
    }
    await Promise.all([...merged.values()].map(publishOne))
    clearTimeout(timer)
    if (triggers > 0) metrics.batch("publish", triggers)
    report()
  }
}
