import type { z } from "zod"
import { connectionChangedSchema } from "../events/connectionChanged.ts"
import { connectorTriggeredSchema } from "../events/connectorTriggered.ts"
import { deadLetterSchema } from "../events/deadLetter.ts"
import { deliveryOutcomeSchema } from "../events/deliveryOutcome.ts"
import { retryRecordSchema } from "../events/retryRecord.ts"
import { sitePaidSchema } from "../events/sitePaid.ts"
import { formatDuration } from "../values/duration.ts"
import { groupNames } from "./groupNames.ts"
import { type TopicNameSettings, topicNames } from "./topicNames.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * The longest time for which Kafka appends to one segment of a partition. Kafka deletes only whole segments,
 * so its default of 7 days would retain personal data for too long.
 */
const segmentMs = dayMs
/** Segments of retry topics are short, so that records are deleted within a day after the retry period. */
const retrySegmentMs = 6 * hourMs

const sitePaidRetentionMs = 7 * dayMs
/** By this age, Kafka has deleted every record of site.paid, because it deletes whole segments. */
export const sitePaidMaxAgeMs = sitePaidRetentionMs + segmentMs

export type Topic = {
  name: string
  purpose: string
  /** What the record key is. Records with the same key stay in order. */
  key: string
  /** The value's schema; null if any bytes are valid. */
  value: z.ZodType | null
  /** The group of a service that consumes it. */
  group?: string
  partitions: number
  cleanup: "delete" | "compact,delete" | "compact"
  /** Of a topic that is only compacted: how long tombstones are stored. */
  retentionMs: number
  /** A record can outlive `retentionMs` by this time, because Kafka deletes whole segments. */
  segmentMs: number
  /**
   * With CreateTime, a broker of Kafka 4 rejects the records of a publisher whose clock is more than an hour ahead.
   * Retry topics need LogAppendTime also because consumers wait until a delay after a record's timestamp is over.
   * Append times ascend with the offsets, so a partition's first record is always due first.
   */
  timestamp: "CreateTime" | "LogAppendTime"
}

export type TopicSettings = TopicNameSettings & { retryPeriodMs: number }

/** So many that they do not limit the consumers' replicas: measured, 24 cost the same as 6 (`bench -- outbound --only partitions`). */
const flowPartitions = 24

export function topicCatalogue(settings: TopicSettings): Topic[] {
  const names = topicNames(settings)
  const { paid, retries, triggers } = groupNames(settings.prefix)
  const keyedByDelivery = { key: "delivery id", partitions: 6, cleanup: "delete" } as const
  return [
    {
      name: names.sitePaid,
      purpose: "A site is paid and ready; published by internal services.",
      key: "event id",
      value: sitePaidSchema,
      group: paid,
      partitions: flowPartitions,
      cleanup: "delete",
      retentionMs: sitePaidRetentionMs,
      segmentMs,
      timestamp: "LogAppendTime",
    },
    {
      name: names.sitePaidInvalid,
      purpose: "Invalid records of site.paid, unchanged, with reason and origin in the headers.",
      key: "the record's own",
      value: null,
      partitions: 1,
      cleanup: "delete",
      retentionMs: 30 * dayMs,
      segmentMs,
      timestamp: "CreateTime",
    },
    ...names.retry.map(
      (name, step): Topic => ({
        ...keyedByDelivery,
        name,
        purpose: `Deliveries that wait ${formatDuration(settings.retryDelaysMs[step] ?? 0)} for their next attempt.`,
        value: retryRecordSchema,
        group: retries,
        retentionMs: settings.retryPeriodMs + dayMs - retrySegmentMs,
        segmentMs: retrySegmentMs,
        timestamp: "LogAppendTime",
      }),
    ),
    {
      ...keyedByDelivery,
      name: names.dead,
      purpose: "Deliveries that are dead: their retry period ended, or their channel was deleted.",
      value: deadLetterSchema,
      partitions: 1,
      retentionMs: 30 * dayMs,
      segmentMs,
      timestamp: "CreateTime",
    },
    {
      name: names.outcome,
      purpose: "What became of each event; empty unless PUBLISH_OUTCOMES is set. Read by the publishers.",
      key: "event id",
      value: deliveryOutcomeSchema,
      partitions: flowPartitions,
      cleanup: "delete",
      retentionMs: 7 * dayMs,
      segmentMs,
      timestamp: "LogAppendTime",
    },
    {
      name: names.connectorTriggered,
      purpose: "A partner's trigger: a connection's data changed.",
      key: "connection id",
      value: connectorTriggeredSchema,
      group: triggers,
      partitions: flowPartitions,
      cleanup: "compact,delete",
      retentionMs: 7 * dayMs,
      segmentMs,
      timestamp: "LogAppendTime",
    },
    {
      name: names.connectionChanged,
      purpose: "A connection has a new content; without a value: it was deleted. Read by internal services.",
      key: "connection id",
      value: connectionChangedSchema,
      partitions: flowPartitions,
      cleanup: "compact",
      retentionMs: 7 * dayMs,
      segmentMs,
      timestamp: "LogAppendTime",
    },
  ]
}
