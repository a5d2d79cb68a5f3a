import type Broker from "kafkajs/src/broker/index.js"

export type OffsetRange = { partition: number; low: bigint; high: bigint }

type Response = { responses: { partitions: { partition: number; offset: string }[] }[] }

const first = -2
const end = -1

/** The first offset of each partition that this broker leads, and the one after its last committed record. */
export async function listOffsets(
  broker: Broker,
  topic: string,
  partitions: readonly number[],
): Promise<OffsetRange[]> {
  async function read(timestamp: number): Promise<Map<number, bigint>> {
    const wanted = partitions.map((partition) => ({ partition, timestamp }))
    const { responses } = (await broker.listOffsets({
      topics: [{ topic, partitions: wanted }],
    })) as Response
    const found = responses.flatMap((each) => each.partitions)
    return new Map(found.map(({ partition, offset }) => [partition, BigInt(offset)]))
  }
  // The end last, so that it is not before the first offset.
  const lows = await read(first)
  const highs = await read(end)
  return partitions.map((partition) => {
    const [low, high] = [lows.get(partition), highs.get(partition)]
    if (low === undefined || high === undefined)
      throw new Error(`the response has no offset of partition ${partition} of ${topic}`)
    return { partition, low, high }
  })
}
