import { z } from "zod"
import { openTransactionSchema } from "./topics.ts"

/** At most this many records that are not accounted for are listed. */
export const maxListedExceptions = 200

export const exceptionSchema = z
  .object({
    kind: z.enum(["event_lost", "trigger_not_synced", "sync_not_scheduled", "sync_overdue"]).meta({
      description: [
        "event_lost: an event was consumed, and is neither a delivery nor an invalid event.",
        "trigger_not_synced: a trigger was consumed, and no sync covers it or is due.",
        "sync_not_scheduled: the connection has triggers that no sync covers, and no sync is due.",
        "sync_overdue: a sync has been due for more than five minutes and has not started.",
      ].join(" "),
    }),
    topic: z.string().describe("Topic of the record."),
    partition: z.int().describe("Partition of the record."),
    offset: z.string().describe("Offset of the record."),
    event_id: z.string().nullable().describe("null: the record is a trigger or cannot be parsed."),
    connection: z.string().nullable().describe("null: the record is an event."),
    published_at: z.iso.datetime().describe("The record's time."),
  })
  .meta({ id: "ReconciliationException", description: "A record that is not accounted for." })

/** An event that was not delivered, because an earlier one has its id. */
export const differingEventSchema = exceptionSchema
  .pick({ topic: true, partition: true, offset: true, published_at: true })
  .extend({
    event_id: z.string().describe("The id that both events have."),
  })
  .meta({
    id: "DifferingEvent",
    description:
      "An event that was not delivered, because an event with its id and other data was delivered.",
  })

export const blockedPartitionSchema = openTransactionSchema
  .extend(exceptionSchema.pick({ topic: true, partition: true }).shape)
  .meta({ id: "BlockedPartition", description: "A partition with an open transaction." })

export type BlockedPartition = z.infer<typeof blockedPartitionSchema>
export type DifferingEvent = z.infer<typeof differingEventSchema>
export type ReconciliationException = z.infer<typeof exceptionSchema>
