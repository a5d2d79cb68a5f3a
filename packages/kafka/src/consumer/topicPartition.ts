export type TopicPartition = { topic: string; partition: number }
export type OffsetCommit = TopicPartition & { offset: string }
