import kafkajs from "kafkajs"
import KafkajsPool from "kafkajs/src/cluster/brokerPool.js"
import connectionPoolBuilder from "kafkajs/src/cluster/connectionPoolBuilder.js"
import loggers from "kafkajs/src/loggers/index.js"
import socketFactory from "kafkajs/src/network/socketFactory.js"
import apiKeys from "kafkajs/src/protocol/requests/apiKeys.js"
import protocol from "kafkajs/src/protocol/requests/index.js"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { type ClientLimits, clientOptions } from "../client/createClient.ts"
import { forwardKafkajsLog } from "../client/forwardKafkajsLog.ts"
import { type FetchOptions, type FetchPosition, fetchRecords } from "./fetchRecords.ts"
import { listOffsets } from "./listOffsets.ts"
import { type PartitionRecords, sendProduceRequest } from "./produceRequest.ts"
import { type BrokerError, brokerError, sendRequest } from "./sendRequest.ts"

export type Leaders = { partition: number; leader: number | null }[]
export type TopicMetadata = { error: BrokerError } | { leaders: Leaders }

export type BrokerConnections = ReturnType<typeof createBrokerConnections>

type MetadataResponse = {
  topicMetadata: {
    topicErrorCode: number
    topic: string
    partitionMetadata: { partitionId: number; leader: number }[]
  }[]
}

/** Uses kafkajs's connections but not its producer, which does not report an outcome for each partition. */
export function createBrokerConnections(kafka: KafkaConnection, limits: ClientLimits) {
  const { retry, ...options } = clientOptions(kafka, limits)
  const logger = loggers.createLogger({
    level: kafkajs.logLevel.INFO,
    logCreator: forwardKafkajsLog(kafka.log),
  })
  const connections = { ...options, logger, socketFactory: socketFactory(), enforceRequestTimeout: true }
  const connectionBuilder = connectionPoolBuilder(connections)
  const newPool = () => {
    const pool = new KafkajsPool({
      connectionPoolBuilder: connectionBuilder,
      logger,
      retry,
      allowAutoTopicCreation: false,
    })
    const { createBroker } = pool
    pool.createBroker = (settings) => {
      const broker = createBroker(settings)
      broker.metadata = (topics) => {
        const parameters = { topics, allowAutoTopicCreation: false }
        return sendRequest(broker, apiKeys.Metadata, protocol.requests.Metadata, parameters)
      }
      return broker
    }
    return pool
  }
  const pool = newPool()
  // A broker handles one connection's requests in order, and one to append records can wait for a dead follower.
  const checks = newPool()

  return {
    connect: (): Promise<void> => pool.connect(),
    async disconnect(): Promise<void> {
      await Promise.all([pool.disconnect(), checks.disconnect()])
    },
    /** Reads from any broker. Afterwards, all brokers of the cluster are known. */
    async readMetadata(topic: string): Promise<TopicMetadata> {
      await pool.refreshMetadata([topic])
      return metadataOf(topic, pool.metadata as MetadataResponse)
    },
    async readMetadataFrom(leader: number, topic: string): Promise<TopicMetadata> {
      if (checks.brokers[leader] === undefined) await checks.refreshMetadata([topic])
      const broker = await checks.findBroker({ nodeId: leader })
      return metadataOf(topic, (await broker.metadata([topic])) as MetadataResponse)
    },
    isKnown: (leader: number) => pool.brokers[leader] !== undefined,
    async produce(leader: number, topic: string, partitions: PartitionRecords[], timeoutMs: number) {
      const broker = await pool.findBroker({ nodeId: leader })
      return sendProduceRequest(broker, topic, partitions, timeoutMs, kafka.clock)
    },
    async fetchRecords(
      leader: number,
      topic: string,
      positions: readonly FetchPosition[],
      options: FetchOptions,
    ) {
      return fetchRecords(await pool.findBroker({ nodeId: leader }), topic, positions, options)
    },
    async listOffsets(leader: number, topic: string, partitions: readonly number[], since?: number) {
      return listOffsets(await pool.findBroker({ nodeId: leader }), topic, partitions, since)
    },
  }
}

function metadataOf(topic: string, { topicMetadata }: MetadataResponse): TopicMetadata {
  const found = topicMetadata.find((each) => each.topic === topic)
  if (!found)
    return { error: { type: "UNKNOWN_TOPIC_OR_PARTITION", message: "the topic is not in the response" } }
  const error = brokerError(found.topicErrorCode)
  if (error) return { error }
  return {
    leaders: found.partitionMetadata.map(({ partitionId, leader }) => ({
      partition: partitionId,
      leader: leader < 0 ? null : leader,
    })),
  }
}
