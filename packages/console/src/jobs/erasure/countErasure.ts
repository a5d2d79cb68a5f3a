import type { Subject } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { firstErasurePosition } from "./erasureStep.ts"
import { scanFrom } from "./scanBodies.ts"

/** Counts the deliveries that an erasure would erase. `complete` is false if the deadline ended the count. */
export async function countErasure(
  sql: Sql,
  subject: Subject,
  deadlineMs: number,
): Promise<{ matching: number; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  const now = new Date()
  let matching = 0
  for (let position = firstErasurePosition(); performance.now() < endsAt; ) {
    const scanned = await scanFrom(sql, position.after, now, subject)
    matching += scanned.matching.length
    if (scanned.last) return { matching, complete: true }
    position = scanned.next
  }
  return { matching, complete: false }
}
