import type { ReplayFilter } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import { readInBatches } from "../../kafka/readInBatches.ts"
import type { InvalidTopic } from "../../kafka/topicReader.ts"
import { isErased, matches, readAllErasures } from "./replayFilter.ts"

/**
 * Counts the events that a replay would publish. `left_out` counts those that match the filter but are
 * covered by an erasure. `complete` is false if `deadlineMs` ended the count.
 */
export async function countReplay(
  { sql, sealingKeys, invalidTopic }: { sql: Sql; sealingKeys: SealingKeys; invalidTopic: InvalidTopic },
  filter: ReplayFilter,
  deadlineMs: number,
): Promise<{ matching: number; left_out: number; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  const erasures = await readAllErasures({ sql, sealingKeys })
  const counted = { matching: 0, left_out: 0 }
  for await (const { records, ended } of readInBatches(invalidTopic, {}, await invalidTopic.end())) {
    for (const record of records) {
      if (matches(record, filter)) counted[isErased(record, erasures) ? "left_out" : "matching"] += 1
    }
    if (!ended && performance.now() >= endsAt) return { ...counted, complete: false }
  }
  return { ...counted, complete: true }
}
