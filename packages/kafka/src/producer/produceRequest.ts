import type { Message } from "kafkajs"
import type Broker from "kafkajs/src/broker/index.js"
import apiKeys from "kafkajs/src/protocol/requests/apiKeys.js"
import protocol from "kafkajs/src/protocol/requests/index.js"
import type { BrokerClock } from "../delay/brokerClock.ts"
import { type BrokerError, brokerError, sendRequest } from "./sendRequest.ts"

export type PartitionRecords = { partition: number; messages: Message[] }

type ProduceResponse = {
  topics: { topicName: string; partitions: PartitionResponse[] }[]
}
/** `logAppendTime` is -1 or missing if the topic does not use LogAppendTime. */
type PartitionResponse = { partition: number; errorCode: number; logAppendTime?: string }

/** The error of each partition, or null if its records were appended. A partition may be missing. */
export type ProduceOutcomes = Map<number, BrokerError | null>

export async function sendProduceRequest(
  broker: Broker,
  topic: string,
  partitions: PartitionRecords[],
  timeoutMs: number,
  clock: BrokerClock,
): Promise<ProduceOutcomes> {
  // -1 means acks=all. With less, the failure of one broker loses acknowledged records.
  const parameters = { acks: -1, timeout: timeoutMs, topicData: [{ topic, partitions }] }
  const sentAt = performance.now()
  const response = await sendRequest(broker, apiKeys.Produce, protocol.requests.Produce, parameters)
  const { topics } = response as ProduceResponse
  const outcomes = topics.flatMap((each) => (each.topicName === topic ? each.partitions : []))
  for (const { errorCode, logAppendTime } of outcomes) {
    const appendedAt = Number(logAppendTime ?? -1)
    if (errorCode === 0 && appendedAt >= 0) clock.acknowledged(appendedAt, sentAt)
  }
  return new Map(outcomes.map(({ partition, errorCode }) => [partition, brokerError(errorCode)]))
}
