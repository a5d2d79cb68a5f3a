export { deleteTopics } from "./admin/deleteTopics.ts"
export { type EnsuredTopics, ensureTopics } from "./admin/ensureTopics.ts"
export { findTopicFaults } from "./admin/findTopicFaults.ts"
export { groupLag, type Lag } from "./admin/groupLag.ts"
export { type OpenTransaction, readBacklog, type TopicBacklog } from "./admin/readBacklog.ts"
export { committedOffsets, type Offsets, offsetsAt, topicEnd } from "./admin/readOffsets.ts"
export { readTopic } from "./admin/readTopic.ts"
export { requireTopics } from "./admin/requireTopics.ts"
export { rewindGroup } from "./admin/rewindGroup.ts"
export type { TopicSpec } from "./admin/topicSpec.ts"
export { type BrokerState, checkBroker, requireBroker } from "./client/checkBroker.ts"
export {
  connectKafka,
  type KafkaConnection,
  type KafkaOptions,
  type PasswordLogin,
} from "./client/connectKafka.ts"
export type { Log } from "./client/log.ts"
export {
  type Consumer,
  type ConsumerOptions,
  startConsumer,
} from "./consumer/startConsumer.ts"
export { PermanentPublishError, RecordTooLarge } from "./producer/publishErrors.ts"
export { type Producer, type ProducerOptions, startProducer } from "./producer/startProducer.ts"
export type { TopicState } from "./producer/topicState.ts"
export type { ConsumerRecord, ProducerRecord, RecordHeaders } from "./record.ts"
