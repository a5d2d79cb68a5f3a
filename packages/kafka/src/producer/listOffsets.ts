import type Broker from "kafkajs/src/broker/index.js"
import apiKeys from "kafkajs/src/protocol/requests/apiKeys.js"
import protocol from "kafkajs/src/protocol/requests/index.js"
import { brokerError, sendRequest } from "./sendRequest.ts"

export type OffsetRange = { partition: number; low: bigint; high: bigint }
/** A partition that could not be read. */
export type Unreadable = { partition: number; why: string }

type Response = {
  responses: { partitions: { partition: number; errorCode: number; offset: string }[] }[]
}

const first = -2
const end = -1

/** The first offset of each partition that this broker leads, and the one after its last committed record. */
export async function listOffsets(
  broker: Broker,
  topic: string,
  partitions: readonly number[],
): Promise<{ ranges: OffsetRange[]; unreadable: Unreadable[] }> {
  async function read(timestamp: number) {
    const topics = [{ topic, partitions: partitions.map((partition) => ({ partition, timestamp })) }]
    const response = await sendRequest(broker, apiKeys.ListOffsets, protocol.requests.ListOffsets, { topics })
    const found = (response as Response).responses.flatMap((each) => each.partitions)
    return new Map(found.map((each) => [each.partition, each]))
  }
  // The end last, so that it is not before the first offset.
  const [lows, highs] = [await read(first), await read(end)]
  const ranges: OffsetRange[] = []
  const unreadable: Unreadable[] = []
  for (const partition of partitions) {
    const [low, high] = [lows.get(partition), highs.get(partition)]
    const error = brokerError(low?.errorCode || high?.errorCode || 0)
    if (low && high && !error) ranges.push({ partition, low: BigInt(low.offset), high: BigInt(high.offset) })
    else unreadable.push({ partition, why: error?.message ?? "its leader did not mention it" })
  }
  return { ranges, unreadable }
}
