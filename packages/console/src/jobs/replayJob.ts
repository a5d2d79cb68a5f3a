import { invalidRecordHeaders, type ReplayFilter, replayFilterSchema } from "@sitewire/contracts"
import type { Incoming } from "@sitewire/kafka"
import { z } from "zod"
import { type InvalidTopic, publishAll, type RunningJob, type Step, type StepParts } from "./job.ts"
import { piece, readPieces } from "./readPieces.ts"

const offsetsSchema = z.record(z.string(), z.string())
const positionSchema = z.object({ next: offsetsSchema, end: offsetsSchema.nullable() })

export function beginReplay(): z.output<typeof positionSchema> {
  return { next: {}, end: null }
}

/**
 * One step of a replay: a piece of the topic of refused records, published as site.paid with key and value as they
 * came. What is still invalid is refused again and stands behind the end that was noted first, so the job ends. A
 * repeated step publishes events twice, and the dispatcher knows an event by its id.
 */
export async function stepReplay(job: RunningJob, { publish, topics, invalid }: StepParts): Promise<Step> {
  const { next, end } = positionSchema.parse(job.position)
  const filter = replayFilterSchema.parse(job.filter)
  try {
    if (end === null) {
      return { kind: "stepped", position: { next, end: await invalid.end() }, counts: {}, done: false }
    }
    const read = await invalid.read({ from: next, to: end, ...piece })
    const matching = read.records.filter((record) => matches(record, filter))
    const outcome = await publishAll(
      publish,
      matching.map(({ key, value, headers }) => ({
        topic: topics.sitePaid,
        key,
        value,
        headers: withoutOurs(headers),
      })),
    )
    if (outcome.kind === "away") return outcome
    return {
      kind: "stepped",
      position: { next: read.next, end },
      counts: { read: read.records.length, replayed: matching.length },
      done: read.ended,
    }
  } catch (error) {
    return { kind: "away", why: error instanceof Error ? error.message : String(error) }
  }
}

/** How many records a replay made now would take; `complete` is false where `deadlineMs` was over before the end. */
export async function countReplay(
  invalid: InvalidTopic,
  filter: ReplayFilter,
  deadlineMs: number,
): Promise<{ matching: number; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  let matching = 0
  for await (const { records, ended } of readPieces(invalid, {}, await invalid.end())) {
    matching += records.filter((record) => matches(record, filter)).length
    if (!ended && performance.now() >= endsAt) return { matching, complete: false }
  }
  return { matching, complete: true }
}

function matches(record: Incoming, { reason, from, to }: ReplayFilter): boolean {
  if (reason !== undefined && !record.headers[invalidRecordHeaders.reason]?.startsWith(reason)) return false
  if (from !== undefined && record.appendedAt < Date.parse(from)) return false
  return to === undefined || record.appendedAt < Date.parse(to)
}

/** The publisher's headers without those that the refusal added. */
function withoutOurs(headers: Record<string, string>): Record<string, string> {
  const ours = new Set<string>(Object.values(invalidRecordHeaders))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ours.has(name)))
}
