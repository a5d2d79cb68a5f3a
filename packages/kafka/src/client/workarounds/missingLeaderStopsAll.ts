/*
 * Defect of kafkajs 2.2.4: metadata is rejected as a whole while one of its partitions has no leader. To find the brokers, kafkajs
 * reads all topics of the cluster, even those of other applications.
 * Effect: while one broker is down, a consumer reads none of its partitions, also those that have a leader, and the setup job cannot
 * create or change topics.
 * Delete this file when kafkajs keeps the errors of partitions in the response.
 */
import Broker from "kafkajs/src/broker/index.js"
import BrokerPool from "kafkajs/src/cluster/brokerPool.js"
import Cluster from "kafkajs/src/cluster/index.js"
import OffsetManager from "kafkajs/src/consumer/offsetManager/index.js"
import protocolErrors from "kafkajs/src/protocol/error.js"
import apiKeys from "kafkajs/src/protocol/requests/apiKeys.js"
import protocol from "kafkajs/src/protocol/requests/index.js"
import { sendRequest } from "../../producer/sendRequest.ts"

const leaderNotAvailable = 5
/** How soon metadata is read again while a partition has no leader. */
const readAgainMs = 1_000

type Partition = { partitionId: number; leader: number }
type Metadata = { topicMetadata: { topicErrorCode: number; partitionMetadata: Partition[] }[] }

const hasLeader = ({ leader }: Partition) => leader >= 0

Broker.prototype.metadata = async function (topics) {
  const { allowAutoTopicCreation } = this
  const parameters = { topics, allowAutoTopicCreation }
  const metadata = await sendRequest(this, apiKeys.Metadata, protocol.requests.Metadata, parameters)
  const failed = (metadata as Metadata).topicMetadata.find(({ topicErrorCode }) => topicErrorCode !== 0)
  // An empty list requests all topics of the cluster. Only those that were named concern the caller.
  if (failed && topics.length > 0) throw protocolErrors.createErrorFromCode(failed.topicErrorCode)
  return metadata
}

const { refreshMetadata } = BrokerPool.prototype
BrokerPool.prototype.refreshMetadata = async function (topics) {
  await refreshMetadata.call(this, topics)
  const { topicMetadata } = this.metadata as Metadata
  const areComplete = topicMetadata.every(({ partitionMetadata }) => partitionMetadata.every(hasLeader))
  if (!areComplete && topics.length > 0) this.metadataExpireAt = Date.now() + readAgainMs
}

const { findBroker } = Cluster.prototype
Cluster.prototype.findBroker = async function (of) {
  if (Number(of.nodeId) < 0) throw protocolErrors.createErrorFromCode(leaderNotAvailable)
  return findBroker.call(this, of)
}

const { resolveOffsets } = OffsetManager.prototype
/** Leaves out the partitions without a leader. They are not fetched until their offset is known. */
OffsetManager.prototype.resolveOffsets = async function () {
  const { cluster, memberAssignment } = this
  const readable = Object.entries(memberAssignment).map(([topic, assigned]) => {
    const led = cluster.findTopicPartitionMetadata(topic).filter(hasLeader)
    const ids = new Set(led.map(({ partitionId }) => partitionId))
    return [topic, assigned.filter((partition) => ids.has(partition))]
  })
  const value = Object.fromEntries(readable)
  return resolveOffsets.call(Object.create(this, { memberAssignment: { value } }))
}
