import type { PlainSubject } from "@sitewire/contracts"
import { readDigestKey, type SealingKeys, type Sql, storedSubject } from "@sitewire/database"
import { firstErasurePosition } from "./erasureStep.ts"
import { findNamed } from "./findNamed.ts"

/**
 * Counts the deliveries that an erasure would erase. `complete` is false if the deadline ended the count: the newest are
 * unknown then.
 */
export async function countErasure(
  { sql, sealingKeys }: { sql: Sql; sealingKeys: SealingKeys },
  plain: PlainSubject,
  deadlineMs: number,
): Promise<{ matching: number; newest?: string[]; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  const digestKey = await readDigestKey(sql, sealingKeys)
  const scan = { sql, digestKey, subject: storedSubject(digestKey, plain), createdAt: new Date() }
  let matching = 0
  let newest: string[] = []
  for (let { after } = firstErasurePosition; performance.now() < endsAt; ) {
    const found = await findNamed(scan, after)
    matching += found.matching.length
    newest = [...found.matching.toReversed(), ...newest].slice(0, 5)
    if (found.last) return { matching, newest, complete: true }
    after = found.after
  }
  return { matching, complete: false }
}
