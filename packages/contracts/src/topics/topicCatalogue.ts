import type { z } from "zod"
import { connectorTriggeredSchema } from "../events/connectorTriggered.ts"
import { deadLetterSchema } from "../events/deadLetter.ts"
import { deliveryDueSchema } from "../events/deliveryDue.ts"
import { formatDuration } from "../values/duration.ts"
import { sitePaidSchema } from "../events/sitePaid.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Kafka's own default is 7 days, too long for records that hold personal data. */
const segmentMs = dayMs
/** Records of retry topics are to be gone a day after the retry period, their segment's time included. */
const retrySegmentMs = 6 * hourMs

const sitePaidRetentionMs = 7 * dayMs
/** A record of site.paid is gone by then: it goes with its segment. */
export const sitePaidGoneAfterMs = sitePaidRetentionMs + segmentMs

export const defaultRetryDelays = ["1m", "5m", "15m", "1h"] as const
export const defaultRetryPeriod = "6h"

/** What a topic is: enough to create it, to document it and to write its manifest. */
export type Topic = {
  name: string
  purpose: string
  /** What the record key holds; records with the same key stay in order. */
  key: string
  /** The value's schema, or null where the value is kept as it came. */
  value: z.ZodType | null
  partitions: number
  cleanup: "delete" | "compact,delete"
  retentionMs: number
  /** A record goes with its segment, so it can outlive its retention by this. */
  segmentMs: number
  /** Delays are counted from the broker's append time, so a partition's head is always the next one due. */
  timestamp: "CreateTime" | "LogAppendTime"
}

export type TopicSettings = {
  /** Put before every name, so that several installations can share a cluster. */
  prefix: string
  retryDelaysMs: readonly number[]
  retryPeriodMs: number
}

/** The topic names alone, for those who publish or consume. `retry` runs parallel to `retryDelaysMs`. */
export function topicNames({ prefix, retryDelaysMs }: Pick<TopicSettings, "prefix" | "retryDelaysMs">) {
  return {
    sitePaid: `${prefix}site.paid`,
    sitePaidInvalid: `${prefix}site.paid.invalid`,
    retry: retryDelaysMs.map((delay) => `${prefix}site.ready.retry.${formatDuration(delay)}`),
    dead: `${prefix}site.ready.dead`,
    connectorTriggered: `${prefix}connector.triggered`,
  }
}

export type TopicNames = ReturnType<typeof topicNames>

/** Every topic of an installation. The one source for creating, documenting and deploying topics. */
export function topicCatalogue(settings: TopicSettings): Topic[] {
  const names = topicNames(settings)
  const carriesDelivery = { key: "delivery id", partitions: 6, cleanup: "delete" } as const
  return [
    {
      name: names.sitePaid,
      purpose: "A site is paid and ready; published by internal services.",
      key: "event id",
      value: sitePaidSchema,
      partitions: 6,
      cleanup: "delete",
      retentionMs: sitePaidRetentionMs,
      segmentMs,
      timestamp: "CreateTime",
    },
    {
      name: names.sitePaidInvalid,
      purpose: "Records of site.paid that were refused, as they came, with reason and origin in the headers.",
      key: "as it came",
      value: null,
      partitions: 1,
      cleanup: "delete",
      retentionMs: 30 * dayMs,
      segmentMs,
      timestamp: "CreateTime",
    },
    ...names.retry.map(
      (name, rung): Topic => ({
        ...carriesDelivery,
        name,
        purpose: `Deliveries that wait ${formatDuration(settings.retryDelaysMs[rung] ?? 0)} for their next attempt.`,
        value: deliveryDueSchema,
        retentionMs: settings.retryPeriodMs + dayMs - retrySegmentMs,
        segmentMs: retrySegmentMs,
        timestamp: "LogAppendTime",
      }),
    ),
    {
      ...carriesDelivery,
      name: names.dead,
      purpose: "Deliveries that were given up after the retry period.",
      value: deadLetterSchema,
      partitions: 1,
      retentionMs: 30 * dayMs,
      segmentMs,
      timestamp: "CreateTime",
    },
    {
      name: names.connectorTriggered,
      purpose: "A partner says that a connection's data changed.",
      key: "connection id",
      value: connectorTriggeredSchema,
      partitions: 6,
      cleanup: "compact,delete",
      retentionMs: 7 * dayMs,
      segmentMs,
      timestamp: "CreateTime",
    },
  ]
}

/**
 * The broker's own names for a topic's settings. With two or more copies, all but one must have a record before it is
 * acknowledged: one broker may then go away at any time.
 */
export function topicConfig(topic: Topic, replication: number): Record<string, string> {
  return {
    "cleanup.policy": topic.cleanup,
    "retention.ms": String(topic.retentionMs),
    "message.timestamp.type": topic.timestamp,
    "segment.ms": String(topic.segmentMs),
    // Whatever publishers send: our client reads gzip only, and one batch of another kind would hold up its partition.
    "compression.type": "uncompressed",
    "min.insync.replicas": String(Math.max(1, replication - 1)),
  }
}
