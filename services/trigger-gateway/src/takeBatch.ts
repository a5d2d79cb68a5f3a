import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Producer } from "@sitewire/kafka"
import { checkTokens } from "./checkTokens.ts"
import type { Arrived, Taken } from "./gatherTriggers.ts"
import type { Measures } from "./measures.ts"
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

/**
 * The way of a batch of triggers: tokens checked, those of a connection merged, published, acknowledged by the broker.
 * Rejects when the tokens could not be read.
 */
export function createTakeBatch({ readHashes, publish, topic, measures, onPublished }: BatchParts) {
  return async (batch: Arrived[], isLate: () => boolean): Promise<Taken[]> => {
    measures.batch("check", batch.length)
    const valid = await checkTokens(batch, readHashes)
    const triggers = batch.filter((_, at) => valid[at])
    const refused = (_: Arrived, at: number) => (valid[at] ? failed : notFound)
    if (triggers.length === 0 || isLate()) return batch.map(refused)

    const merged = mergeTriggers(triggers)
    const records = [...merged.values()]
    try {
      await publish(
        records.map((record) => ({ topic, key: record.connection, value: JSON.stringify(record) })),
      )
    } catch {
      return batch.map(refused)
    }
    measures.batch("publish", triggers.length)
    onPublished(records)
    return batch.map((arrived, at) => {
      const record = merged.get(arrived.connection)
      return record && valid[at] ? { status: "accepted", correlation: record.correlation } : notFound
    })
  }
}
