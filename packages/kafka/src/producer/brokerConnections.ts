import kafkajs, { type Message } from "kafkajs"
import type Broker from "kafkajs/src/broker/index.js"
import KafkajsPool from "kafkajs/src/cluster/brokerPool.js"
import connectionPoolBuilder from "kafkajs/src/cluster/connectionPoolBuilder.js"
import errors from "kafkajs/src/errors.js"
import loggers from "kafkajs/src/loggers/index.js"
import socketFactory from "kafkajs/src/network/socketFactory.js"
import protocolErrors from "kafkajs/src/protocol/error.js"
import apiKeys from "kafkajs/src/protocol/requests/apiKeys.js"
import protocol from "kafkajs/src/protocol/requests/index.js"
import { type ClientLimits, clientOptions, type KafkaConnection } from "../client/connectKafka.ts"
import { routeKafkajsLog } from "../client/log.ts"

const { requests } = protocol

/** An error that a broker returned: its name in the protocol, as `NOT_LEADER_FOR_PARTITION`, and a sentence. */
export type BrokerError = { type: string; message: string }

/** `leader` is the broker's id, or null while the partition has none. */
type Leaders = { partition: number; leader: number | null }[]
export type TopicMetadata = { error: BrokerError } | { leaders: Leaders }

/** The connections of a producer to the brokers, one to each broker, opened when it is first used. */
export type BrokerPool = {
  connect(): Promise<void>
  disconnect(): Promise<void>
  /** Asks any broker that responds; the others that the cluster has are known from then on. */
  readMetadata(topic: string): Promise<TopicMetadata>
  /** Asks this broker, on the connection that is open to it, or a new one. Rejects where it does not respond in time. */
  readMetadataFrom(leader: number, topic: string): Promise<TopicMetadata>
  isKnown(leader: number): boolean
  /** One request with acks=all. The error of each partition, or null where the broker has appended its records. */
  append(
    leader: number,
    topic: string,
    partitions: { partition: number; messages: Message[] }[],
    timeoutMs: number,
  ): Promise<Map<number, BrokerError | null>>
}

type MetadataResponse = {
  topicMetadata: {
    topicErrorCode: number
    topic: string
    partitionMetadata: { partitionId: number; leader: number }[]
  }[]
}
type ProduceResponse = {
  topics: { topicName: string; partitions: PartitionResponse[] }[]
}
/** The time is -1, or missing, where the topic uses the publishers' times. */
type PartitionResponse = { partition: number; errorCode: number; logAppendTime?: string }

/**
 * The connections of kafkajs without its producer. That producer throws at the first error in a response, and with it all
 * that the response says of the other partitions: one partition without a leader failed every send to its topic, one
 * refused record its whole request, and a retry of what had been appended duplicated it.
 */
export function createBrokerPool(kafka: KafkaConnection, limits: ClientLimits): BrokerPool {
  const { retry, ...options } = clientOptions(kafka, limits)
  const logger = loggers.createLogger({
    level: kafkajs.logLevel.INFO,
    logCreator: routeKafkajsLog(kafka.log),
  })
  const connections = { ...options, logger, socketFactory: socketFactory(), enforceRequestTimeout: true }
  const builder = connectionPoolBuilder(connections)
  const pool = new KafkajsPool({
    connectionPoolBuilder: builder,
    logger,
    retry,
    allowAutoTopicCreation: false,
  })
  const { createBroker } = pool
  pool.createBroker = (settings) => {
    const broker = createBroker(settings)
    broker.metadata = (topics) =>
      ask(broker, apiKeys.Metadata, requests.Metadata, { topics, allowAutoTopicCreation: false })
    return broker
  }

  return {
    connect: () => pool.connect(),
    disconnect: () => pool.disconnect(),
    async readMetadata(topic) {
      await pool.refreshMetadata([topic])
      return metadataOf(topic, pool.metadata as MetadataResponse)
    },
    async readMetadataFrom(leader, topic) {
      const broker = await pool.findBroker({ nodeId: leader })
      return metadataOf(topic, (await broker.metadata([topic])) as MetadataResponse)
    },
    isKnown: (leader) => pool.brokers[leader] !== undefined,
    async append(leader, topic, partitions, timeoutMs) {
      const broker = await pool.findBroker({ nodeId: leader })
      const topicData = [{ topic, partitions }]
      // Decided by the leader and all replicas that are in sync: with less, a broker that fails loses what was promised.
      const parameters = { acks: -1, timeout: timeoutMs, topicData }
      const sentAt = performance.now()
      const { topics } = (await ask(broker, apiKeys.Produce, requests.Produce, parameters)) as ProduceResponse
      const outcomes = topics.flatMap((each) => (each.topicName === topic ? each.partitions : []))
      for (const { errorCode, logAppendTime } of outcomes) {
        const appendedAt = Number(logAppendTime ?? -1)
        if (errorCode === 0 && appendedAt >= 0) kafka.clock.acknowledged(appendedAt, sentAt)
      }
      return new Map(outcomes.map(({ partition, errorCode }) => [partition, errorOf(errorCode)]))
    },
  }
}

/** A request whose response is returned whole, with the errors that are in it. */
async function ask(broker: Broker, key: number, versions: object, parameters: object): Promise<object> {
  const { request, response } = broker.lookupRequest(key, versions)(parameters)
  const whole = { ...response, parse: async (data: object) => data }
  try {
    return await broker.connectionPool.send({ request, response: whole })
  } catch (error) {
    if (error instanceof errors.KafkaJSConnectionClosedError) await broker.disconnect()
    throw error
  }
}

function metadataOf(topic: string, { topicMetadata }: MetadataResponse): TopicMetadata {
  const found = topicMetadata.find((each) => each.topic === topic)
  if (!found) return { error: { type: "UNKNOWN_TOPIC_OR_PARTITION", message: "the broker did not name it" } }
  const error = errorOf(found.topicErrorCode)
  if (error) return { error }
  return {
    leaders: found.partitionMetadata.map(({ partitionId, leader }) => ({
      partition: partitionId,
      leader: leader < 0 ? null : leader,
    })),
  }
}

function errorOf(code: number): BrokerError | null {
  if (code === 0) return null
  const { type, message } = protocolErrors.createErrorFromCode(code)
  return { type, message }
}
