import type Broker from "kafkajs/src/broker/index.js"
import isolation from "kafkajs/src/protocol/isolationLevel.js"
import apiKeys from "kafkajs/src/protocol/requests/apiKeys.js"
import protocol from "kafkajs/src/protocol/requests/index.js"
import { brokerError, sendRequest } from "./sendRequest.ts"

export type OffsetRange = {
  partition: number
  /** Of the first record since the time that was asked for. `high` if there is none. */
  low: bigint
  /** Where consumers stop: at the first record of the oldest open transaction, or at `high`. */
  stable: bigint
  /** After the last record. */
  high: bigint
}
/** A partition that could not be read. */
export type Unreadable = { partition: number; why: string }

type Response = {
  responses: { partitions: { partition: number; errorCode: number; offset: string }[] }[]
}

const beginning = -2
const end = -1

/** Reads from a broker the offsets of partitions that it leads. `since`: milliseconds since the epoch. */
export async function listOffsets(
  broker: Broker,
  topic: string,
  partitions: readonly number[],
  since = beginning,
): Promise<{ ranges: OffsetRange[]; unreadable: Unreadable[] }> {
  async function read(timestamp: number, isolationLevel: number) {
    const topics = [{ topic, partitions: partitions.map((partition) => ({ partition, timestamp })) }]
    const request = { topics, isolationLevel }
    const response = await sendRequest(broker, apiKeys.ListOffsets, protocol.requests.ListOffsets, request)
    const found = (response as Response).responses.flatMap((each) => each.partitions)
    return new Map(found.map((each) => [each.partition, each]))
  }
  // In this order, so that they ascend.
  const lows = await read(since, isolation.READ_UNCOMMITTED)
  const stables = await read(end, isolation.READ_COMMITTED)
  const highs = await read(end, isolation.READ_UNCOMMITTED)
  const ranges: OffsetRange[] = []
  const unreadable: Unreadable[] = []
  for (const partition of partitions) {
    const [low, stable, high] = [lows.get(partition), stables.get(partition), highs.get(partition)]
    const error = brokerError(low?.errorCode || stable?.errorCode || high?.errorCode || 0)
    if (low && stable && high && !error)
      ranges.push({
        partition,
        low: BigInt(Number(low.offset) < 0 ? high.offset : low.offset),
        stable: BigInt(stable.offset),
        high: BigInt(high.offset),
      })
    else unreadable.push({ partition, why: error?.message ?? "its leader did not mention it" })
  }
  return { ranges, unreadable }
}
