import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Producer } from "@sitewire/kafka"
import { checkTokens } from "./checkTokens.ts"
import type { Arrived, BatchRun, Taken } from "./batchTriggers.ts"
import type { Measures } from "../metrics.ts"
import { mergeTriggers } from "./mergeTriggers.ts"

export type BatchParts = {
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>
  publish: Producer["publish"]
  topic: string
  measures: Measures
  onPublished: (records: readonly ConnectorTriggered[]) => void
}

const notFound: Taken = { status: "not found" }
const failed: Taken = { status: "unavailable", why: "failed" }

/** How long a batch keeps others from beginning for records that Kafka has not acknowledged, as without a leader. */
const stragglersAfterMs = 50

/**
 * Processes a batch of triggers: tokens checked, those of a connection merged, each record published and its callers
 * answered when the broker has acknowledged it. A record that fails concerns its own connection only. Rejects when the
 * tokens could not be read.
 */
export function createTakeBatch({ readHashes, publish, topic, measures, onPublished }: BatchParts) {
  return async (batch: Arrived[], { answer, isLate, release }: BatchRun): Promise<void> => {
    measures.batch("check", batch.length)
    const valid = await checkTokens(batch, readHashes)
    const places = new Map<string, number[]>()
    batch.forEach(({ connection }, at) => {
      const known = places.get(connection)
      if (!valid[at]) answer(at, notFound)
      else if (known) known.push(at)
      else places.set(connection, [at])
    })
    if (places.size === 0 || isLate()) return

    const merged = mergeTriggers(batch.filter((_, at) => valid[at]))
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
    }, stragglersAfterMs)

    async function publishOne(record: ConnectorTriggered): Promise<void> {
      const answerAll = (taken: Taken) => {
        for (const at of places.get(record.connection) ?? []) answer(at, taken)
      }
      try {
        await publish([{ topic, key: record.connection, value: JSON.stringify(record) }])
      } catch {
        return answerAll(failed)
      }
      published.push(record)
      triggers += record.count
      answerAll({ status: "accepted", correlation: record.correlation })
    }
    await Promise.all([...merged.values()].map(publishOne))
    clearTimeout(timer)
    if (triggers > 0) measures.batch("publish", triggers)
    report()
  }
}
