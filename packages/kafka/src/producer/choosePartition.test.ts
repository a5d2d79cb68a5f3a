import fc from "fast-check"
import { Partitioners, type PartitionMetadata } from "kafkajs"
import { expect, test } from "vitest"
import { createPartitionChooser } from "./choosePartition.ts"

const partitionsOf = (count: number): PartitionMetadata[] =>
  Array.from({ length: count }, (_, partitionId) => ({
    partitionErrorCode: 0,
    partitionId,
    leader: 1,
    replicas: [1],
    isr: [1],
  }))

test("every key goes to the partition that kafkajs's own partitioner chooses", () => {
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
    { numRuns: 500 },
  )
})

test("records without a key go to all available partitions; a key keeps its partition whichever are available", () => {
  const choose = createPartitionChooser()
  const chosen = (available: number[]) => new Set(Array.from({ length: 9 }, () => choose(null, 3, available)))
  expect(chosen([0, 1, 2])).toEqual(new Set([0, 1, 2]))
  expect(chosen([0, 2])).toEqual(new Set([0, 2]))
  expect(chosen([])).toEqual(new Set([0, 1, 2]))
  expect(choose("key", 3, [0])).toBe(choose("key", 3, [0, 1, 2]))
})
