import { z } from "zod"

const records = z.int().min(0).describe("Offsets in use.")
const lag = records
  .nullable()
  .describe(
    "Records that the group has not committed, also those behind an open transaction. null: no group consumes the topic.",
  )
const oldestUnreadAt = z.iso
  .datetime()
  .nullable()
  .describe(
    "Time of the oldest of them. null: there is none. In a retry topic, records wait for their delay.",
  )

export const openTransactionSchema = z
  .object({
    first_offset: z.string().describe("Offset of its first record."),
    since: z.iso.datetime().nullable().describe("Time of its first record. null: it could not be read."),
    records: records.describe("Records that wait for its end: its own and later ones."),
  })
  .meta({
    id: "OpenTransaction",
    description:
      "The oldest transaction that a publisher has open in a partition. Consumers get its records, and all later ones, when it has ended.",
  })

const partitionSchema = z.object({
  partition: z.int().min(0).describe("Number of the partition."),
  records,
  lag,
  oldest_unread_at: oldestUnreadAt,
  open_transaction: openTransactionSchema.nullable().describe("null: none is open."),
})

export const topicSchema = z
  .object({
    name: z.string(),
    purpose: z.string().describe("What its records are."),
    group: z.string().nullable().describe("The consumer group. null: none."),
    records: records
      .nullable()
      .describe("Offsets in use. null: the topic does not exist; run the setup job."),
    lag,
    oldest_unread_at: oldestUnreadAt,
    behind: z
      .boolean()
      .describe(
        "The oldest of them is older than a minute. Always false for retry topics, whose records wait for their delay.",
      ),
    partitions: z.array(partitionSchema).describe("The same for each partition."),
  })
  .meta({ id: "Topic", description: "A Kafka topic, and what its consumers have not read." })

export const topicListSchema = z.object({ data: z.array(topicSchema) }).meta({ id: "TopicList" })

export type TopicStatus = z.infer<typeof topicSchema>
