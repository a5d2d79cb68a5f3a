import fc from "fast-check"
import { Partitioners, type PartitionMetadata } from "kafkajs"
import { expect, test } from "vitest"
import { createPartitionChooser, murmur2 } from "./choosePartition.ts"

/** From the tests of Kafka's own Java client. */
const known: Record<string, number> = {
  "21": -973932308,
  foobar: -790332482,
  "a-little-bit-long-string": -985981536,
  "a-little-bit-longer-string": -1486304829,
  lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8: -58897971,
  abc: 479470107,
}

const partitionsOf = (count: number): PartitionMetadata[] =>
  Array.from({ length: count }, (_, partitionId) => ({
    partitionErrorCode: 0,
    partitionId,
    leader: 1,
    replicas: [1],
    isr: [1],
  }))

test("the hash is the one of Kafka's Java client", () => {
  for (const [key, hash] of Object.entries(known)) expect(murmur2(Buffer.from(key)), key).toBe(hash)
})

test("every key goes where kafkajs's own partitioner sends it", () => {
  const theirs = Partitioners.DefaultPartitioner()
  const ours = createPartitionChooser()
  const keys = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  )
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 50 }), (key, count) => {
      const partitionMetadata = partitionsOf(count)
      const theirChoice = theirs({ topic: "t", partitionMetadata, message: { key, value: null } })
      expect(ours(key, count, [])).toBe(theirChoice)
    }),
    { numRuns: 2_000 },
  )
})

test("without a key all partitions that are available get some; a key keeps its partition whatever is available", () => {
  const choose = createPartitionChooser()
  const chosen = (available: number[]) => new Set(Array.from({ length: 9 }, () => choose(null, 3, available)))
  expect(chosen([0, 1, 2])).toEqual(new Set([0, 1, 2]))
  expect(chosen([0, 2])).toEqual(new Set([0, 2]))
  expect(chosen([])).toEqual(new Set([0, 1, 2]))
  expect(choose("key", 3, [0])).toBe(choose("key", 3, [0, 1, 2]))
})
