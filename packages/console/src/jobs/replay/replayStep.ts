import { firstRejectedAt, invalidRecordHeaders, replayFilterSchema } from "@sitewire/contracts"
import type { RecordHeaders } from "@sitewire/kafka"
import { z } from "zod"
import { cutAt } from "../../kafka/topicReader.ts"
import type { RunningJob, Step, StepContext } from "../job.ts"
import {
  countReplay,
  forgetReplayed,
  isErased,
  matches,
  readAllErasures,
  withoutReplayed,
} from "./countReplay.ts"

/** How many events a step publishes at most, and therefore how many a crash can repeat. */
const maxEvents = 500

const offsetsSchema = z.record(z.string(), z.string())
const positionSchema = z.object({
  perSecond: z.int().default(50),
  /** The offsets at which the next step continues. A partition without an offset is read from its start. */
  next: offsetsSchema,
  /** The topic's end when the replay began. Null until the first step has read it. */
  end: offsetsSchema.nullable(),
  /** How many events match. Null: they are not counted, or counting took too long. */
  total: z.int().nullable().default(null),
})

/** Shorter than the time-out of a step's transaction, which does nothing while the topic is read. */
const countDeadlineMs = 8_000

export function firstReplayPosition(perSecond: number): z.output<typeof positionSchema> {
  return { perSecond, next: {}, end: null, total: null }
}

/**
 * One step of a replay: publishes the matching records of a batch of site.paid.invalid to site.paid, equal ones once. An
 * event that is still invalid is appended to site.paid.invalid again, after `end`, so the job does not read it
 * again. If a step is repeated, its events are published twice, and dispatchers ignore a second event with
 * the same id.
 */
export async function replayStep(
  job: RunningJob,
  { sql, sealingKeys, publish, topics, invalidTopic }: StepContext,
): Promise<Step> {
  const { perSecond, next, end, total } = positionSchema.parse(job.position)
  const filter = replayFilterSchema.parse(job.filter)
  if (end === null) {
    const end = await invalidTopic.end()
    const { matching, left_out, complete } = await countReplay(
      { sql, sealingKeys, invalidTopic },
      filter,
      countDeadlineMs,
    )
    const position = { perSecond, next, end, total: complete ? matching + left_out : null }
    return { position, counts: {}, done: false }
  }
  // Records that the filter leaves out lie between those that are replayed. The next step reads again what is left of a batch.
  const batch = await invalidTopic.read({ from: next, to: end, maxRecords: 10 * maxEvents })
  let matched = 0
  const most = batch.records.findIndex((record) => matches(record, filter) && ++matched > maxEvents)
  const { records, next: reached } = most < 0 ? batch : cutAt(batch, most)
  const erasures = await readAllErasures({ sql, sealingKeys })
  const matching = records.filter((record) => matches(record, filter))
  const remaining = matching.filter((record) => !isErased(record, erasures))
  const replayed = await withoutReplayed(sql, job.id, remaining)
  await publish(
    replayed.map(({ value, headers, appendedAt, original }) => ({
      topic: topics.sitePaid,
      key: original.key,
      value,
      headers: {
        ...originalHeaders(original.headers),
        [invalidRecordHeaders.rejectedAt]: String(firstRejectedAt(headers) ?? appendedAt),
      },
    })),
  )
  const done = batch.ended && records.length === batch.records.length
  if (done) await forgetReplayed(sql, job.id)
  return {
    position: { perSecond, next: reached, end, total },
    counts: {
      read: records.length,
      replayed: replayed.length,
      left_out: matching.length - remaining.length,
    },
    done,
    intervalMs: (replayed.length / perSecond) * 1_000,
  }
}

function originalHeaders(headers: RecordHeaders): RecordHeaders {
  const added = new Set<string>(Object.values(invalidRecordHeaders))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !added.has(name)))
}
