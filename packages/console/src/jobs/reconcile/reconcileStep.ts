import {
  clockMarginMs,
  invalidRecordHeaders,
  maxListedExceptions,
  type ReconcileFilter,
  type ReconciliationException,
  reconcileFilterSchema,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { ConsumerRecord } from "@sitewire/kafka"
import { cutAt } from "../../kafka/topicReader.ts"
import type { RunningJob, Step } from "../job.ts"
import { checkEvents } from "./checkEvents.ts"
import { checkTriggers } from "./checkTriggers.ts"
import {
  isRead,
  type Range,
  type ReconcilePosition,
  reconcilePositionSchema,
  type Unresolved,
  withExceptions,
} from "./reconcilePosition.ts"
import type { ReconcileSources } from "./reconcileSources.ts"

type Completed = Step & { position: ReconcilePosition }

/**
 * One step of a reconciliation: reads one batch of site.paid, site.paid.invalid or connector.triggered, and
 * compares it with Postgres. Committed offsets are read before Postgres: the outcome of a record below them
 * is durable.
 */
export async function reconcileStep(
  job: RunningJob,
  sql: Sql,
  { events, invalid, triggers, groups, retentionMs }: ReconcileSources,
): Promise<Step> {
  const position = reconcilePositionSchema.parse(job.position)
  const { after, before, isInPeriod, isAfterPeriod } = periodOf(reconcileFilterSchema.parse(job.filter))
  const { ranges, unresolved } = position
  if (ranges === null) return begin()
  if (unresolved.length > 0) return searchInvalid(unresolved)
  if (!isRead(ranges.events)) return readEvents(ranges)
  return readTriggers(ranges)

  /** Publishers set the records' times by their own clocks, so a wider part is read. */
  async function begin(): Promise<Completed> {
    const ranges = {
      events: {
        next: await events.offsetsAt(after - clockMarginMs),
        end: await events.offsetsAt(before + clockMarginMs),
      },
      // To the last one, also behind an open transaction.
      triggers: {
        next: await triggers.offsetsAt(after - clockMarginMs),
        end: await triggers.offsetsAt(Number.MAX_SAFE_INTEGER),
      },
    }
    const open = [...(await events.openTransactions()), ...(await triggers.openTransactions())]
    const openTransactions = open.filter(({ since }) => since === null || Date.parse(since) < before)
    return {
      position: { ...position, ranges, openTransactions },
      counts: { events: 0, triggers: 0, exceptions: 0 },
      done: false,
    }
  }

  async function readEvents(ranges: NonNullable<ReconcilePosition["ranges"]>): Promise<Completed> {
    const committed = await events.committed(groups.paid)
    const { next, end } = ranges.events
    const batch = await events.read({ from: next, to: end })
    const check = { isInPeriod, committed, now: job.now, retentionMs }
    const { counts, unresolved, differing, checked } = await checkEvents(sql, batch.records, check)
    const reached: Range = { next: cutAt(batch, checked).next, end }
    return {
      position: {
        ...position,
        ranges: { ...ranges, events: reached },
        unresolved,
        differing: [...position.differing, ...differing].slice(0, maxListedExceptions),
      },
      counts,
      done: false,
    }
  }

  async function searchInvalid(unresolved: Unresolved[]): Promise<Completed> {
    const { next, end } = position.invalid ?? (await rangeOfInvalid(unresolved))
    const { records, next: reached, ended } = await invalid.read({ from: next, to: end })
    const left = withoutInvalid(unresolved, events.topic, records)
    const counts = { events_invalid: unresolved.length - left.length }
    if (left.length > 0 && !ended) {
      const further = { ...position, unresolved: left, invalid: { next: reached, end } }
      return { position: further, counts, done: false }
    }
    const searched = { ...position, unresolved: [], invalid: null }
    const { first, repeated } = separateRepeated(left, position.exceptions)
    return {
      position: withExceptions(
        searched,
        first.map((event) => lost(events.topic, event)),
      ),
      counts: {
        ...counts,
        ...(repeated > 0 && { events_repeated: repeated }),
        exceptions: first.length,
      },
      done: false,
    }
  }

  async function rangeOfInvalid(unresolved: Unresolved[]): Promise<Range> {
    const since = Math.min(...unresolved.map((each) => each.rejectedAt ?? each.publishedAt)) - clockMarginMs
    return { next: await invalid.offsetsAt(since), end: await invalid.end() }
  }

  async function readTriggers(ranges: NonNullable<ReconcilePosition["ranges"]>): Promise<Completed> {
    const committed = await triggers.committed(groups.triggers)
    const { next, end } = ranges.triggers
    const batch = await triggers.read({ from: next, to: end })
    const { counts, exceptions } = await checkTriggers(sql, batch.records, {
      isInPeriod,
      isAfterPeriod,
      committed,
    })
    const reached = { ...ranges, triggers: { next: batch.next, end } }
    return {
      position: withExceptions({ ...position, ranges: reached }, exceptions),
      counts: { ...counts, exceptions: exceptions.length },
      done: batch.ended,
    }
  }
}

function periodOf({ created_after, created_before }: ReconcileFilter) {
  const [after, before] = [Date.parse(created_after), Date.parse(created_before)]
  return {
    after,
    before,
    isInPeriod: ({ appendedAt }: ConsumerRecord) => appendedAt >= after && appendedAt < before,
    isAfterPeriod: ({ appendedAt }: ConsumerRecord) => appendedAt >= before,
  }
}

/** An event that was published several times and is lost is one exception. Only the listed ones are remembered. */
function separateRepeated(
  unresolved: readonly Unresolved[],
  listed: readonly ReconciliationException[],
): { first: Unresolved[]; repeated: number } {
  const known = new Set(listed.map(({ event_id }) => event_id))
  const first = unresolved.filter(({ eventId }) => {
    if (eventId === null) return true
    const isFirst = !known.has(eventId)
    known.add(eventId)
    return isFirst
  })
  return { first, repeated: unresolved.length - first.length }
}

function lost(
  topic: string,
  { partition, offset, eventId, publishedAt }: Unresolved,
): ReconciliationException {
  const published_at = new Date(publishedAt).toISOString()
  return { kind: "event_lost", topic, partition, offset, event_id: eventId, connection: null, published_at }
}

/** Returns those of `unresolved` that are not the origin of one of these records of site.paid.invalid. */
function withoutInvalid(
  unresolved: readonly Unresolved[],
  topic: string,
  invalid: readonly ConsumerRecord[],
): Unresolved[] {
  const origins = new Set(
    invalid
      .filter(({ headers }) => headers[invalidRecordHeaders.topic] === topic)
      .map(
        ({ headers }) => `${headers[invalidRecordHeaders.partition]}:${headers[invalidRecordHeaders.offset]}`,
      ),
  )
  return unresolved.filter(({ partition, offset }) => !origins.has(`${partition}:${offset}`))
}
