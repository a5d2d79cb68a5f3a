import type { Offsets } from "@sitewire/kafka"
import type { InvalidTopic } from "./topicReader.ts"

/** Batches are large, because each read opens connections. */
export const batchLimits = { maxRecords: 5_000, maxBytes: 8 * 1024 * 1024 }

/** Yields a range of site.paid.invalid in batches, so that only one batch is in memory. */
export async function* readInBatches(invalidTopic: InvalidTopic, from: Offsets, to: Offsets) {
  for (let next = from, ended = false; !ended; ) {
    const batch = await invalidTopic.read({ from: next, to, ...batchLimits })
    yield batch
    ended = batch.ended
    next = batch.next
  }
}
