import { invalidRecordHeaders, type ReplayFilter, replayFilterSchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { type Erasures, readErasures } from "@sitewire/erasure"
import type { Incoming, Offsets } from "@sitewire/kafka"
import { z } from "zod"
import {
  type InvalidTopic,
  KafkaAway,
  publishAll,
  type RunningJob,
  type Step,
  type StepParts,
} from "./job.ts"
import { piece, readPieces } from "./readPieces.ts"

/** Events of one step at most: what goes out at once, and what a crash repeats. */
const largestStep = 500

const offsetsSchema = z.record(z.string(), z.string())
const positionSchema = z.object({
  perSecond: z.int().default(50),
  next: offsetsSchema,
  end: offsetsSchema.nullable(),
})

export function beginReplay(perSecond: number): z.output<typeof positionSchema> {
  return { perSecond, next: {}, end: null }
}

/**
 * One step of a replay: a piece of the topic of refused records, published as site.paid with key and value as they
 * came. What is still invalid is refused again and stands behind the end that was noted first, so the job ends. A
 * repeated step publishes events twice, and the dispatcher knows an event by its id. What was refused before it was
 * asked to be erased, or shortly after, is left out.
 */
export async function stepReplay(
  job: RunningJob,
  { sql, publish, topics, invalid }: StepParts,
): Promise<Step> {
  const { perSecond, next, end } = positionSchema.parse(job.position)
  const filter = replayFilterSchema.parse(job.filter)
  try {
    if (end === null) {
      return {
        kind: "stepped",
        position: { perSecond, next, end: await invalid.end() },
        counts: {},
        done: false,
      }
    }
    const read = await invalid.read({ from: next, to: end, ...piece })
    const { records, next: reached } = cutBehind(read, largestStep, (record) => matches(record, filter))
    const erasures = await readErasures(sql, everSince)
    const matching = records.filter((record) => matches(record, filter))
    const replayed = matching.filter((record) => !isErased(record, erasures))
    const outcome = await publishAll(
      publish,
      replayed.map(({ key, value, headers }) => ({
        topic: topics.sitePaid,
        key,
        value,
        headers: withoutOurs(headers),
      })),
    )
    if (outcome.kind === "away") return outcome
    return {
      kind: "stepped",
      position: { perSecond, next: reached, end },
      counts: {
        read: records.length,
        replayed: replayed.length,
        left_out: matching.length - replayed.length,
      },
      done: read.ended && records.length === read.records.length,
      restMs: (replayed.length / perSecond) * 1_000,
    }
  } catch (error) {
    if (error instanceof KafkaAway) return { kind: "away", why: error.message }
    throw error
  }
}

/** What was read up to the `most`th record that counts, and where to go on behind it. */
function cutBehind(
  read: { records: Incoming[]; next: Offsets },
  most: number,
  counts: (record: Incoming) => boolean,
): { records: Incoming[]; next: Offsets } {
  let counted = 0
  const cut = read.records.findIndex((record) => counts(record) && ++counted > most)
  if (cut < 0) return read
  const next = { ...read.next }
  // Of each partition, the first that is left is the last that is noted.
  for (const { partition, offset } of read.records.slice(cut).toReversed()) next[partition] = offset
  return { records: read.records.slice(0, cut), next }
}

/** How many records a replay made now would take; `complete` is false where `deadlineMs` was over before the end. */
export async function countReplay(
  { sql, invalid }: { sql: Sql; invalid: InvalidTopic },
  filter: ReplayFilter,
  deadlineMs: number,
): Promise<{ matching: number; left_out: number; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  const erasures = await readErasures(sql, everSince)
  const counted = { matching: 0, left_out: 0 }
  for await (const { records, ended } of readPieces(invalid, {}, await invalid.end())) {
    for (const record of records) {
      if (matches(record, filter)) counted[isErased(record, erasures) ? "left_out" : "matching"] += 1
    }
    if (!ended && performance.now() >= endsAt) return { ...counted, complete: false }
  }
  return { ...counted, complete: true }
}

/** Refused records are older than the time of their refusal, and kept for as long as an operator likes. */
const everSince = new Date(0)

function isErased({ value, appendedAt }: Incoming, erasures: Erasures): boolean {
  return value !== null && erasures.covers(value, appendedAt)
}

function matches(record: Incoming, { reason, from, to }: ReplayFilter): boolean {
  // Only its place was kept, as it was too large.
  if (record.value === null) return false
  if (reason !== undefined && !record.headers[invalidRecordHeaders.reason]?.startsWith(reason)) return false
  if (from !== undefined && record.appendedAt < Date.parse(from)) return false
  return to === undefined || record.appendedAt < Date.parse(to)
}

/** The publisher's headers without those that the refusal added. */
function withoutOurs(headers: Record<string, string>): Record<string, string> {
  const ours = new Set<string>(Object.values(invalidRecordHeaders))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ours.has(name)))
}
