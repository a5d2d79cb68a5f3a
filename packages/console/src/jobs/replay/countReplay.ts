import type { ReplayFilter } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import { readInBatches } from "../../kafka/readInBatches.ts"
import type { InvalidTopic } from "../../kafka/topicReader.ts"
import { digestOf } from "./replayedEvents.ts"
import { isErased, matches, readAllErasures } from "./replayFilter.ts"

/**
 * Counts the events that a replay would publish: equal records once. `left_out` counts those that match the filter but are
 * covered by an erasure. `complete` is false if `deadlineMs` ended the count.
 */
export async function countReplay(
  { sql, sealingKeys, invalidTopic }: { sql: Sql; sealingKeys: SealingKeys; invalidTopic: InvalidTopic },
  filter: ReplayFilter,
  deadlineMs: number,
): Promise<{ matching: number; left_out: number; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  const erasures = await readAllErasures({ sql, sealingKeys })
  const events = new Set<string>()
  let left_out = 0
  for await (const { records, ended } of readInBatches(invalidTopic, {}, await invalidTopic.end())) {
    for (const record of records) {
      if (!matches(record, filter)) continue
      if (isErased(record, erasures)) left_out++
      else events.add(digestOf(record).toString("base64"))
    }
    if (!ended && performance.now() >= endsAt) return { matching: events.size, left_out, complete: false }
  }
  return { matching: events.size, left_out, complete: true }
}
