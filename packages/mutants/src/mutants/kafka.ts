import type { Mutant } from "../mutant.ts"

export const kafkaMutants: readonly Mutant[] = [
  {
    name: "Kafka: a record is acknowledged when its leader alone has it",
    file: "packages/kafka/src/producer/brokerConnections.ts",
    find: "acks: -1",
    replace: "acks: 1",
    tests: ["packages/kafka/src/producer/partitionsWithoutLeader.test.ts"],
    testName: "only when all replicas that the topic asks for have it",
  },
  {
    name: "Kafka: a record that is done commits those before it that are not",
    file: "packages/kafka/src/consumer/trackOffsets.ts",
    find: "while (first < records.length && records[first] === null) first += 1",
    replace: "while (first <= place) first += 1",
    tests: ["packages/kafka/src/consumer/trackOffsets.test.ts"],
    testName: "only the contiguous done prefix may be committed",
  },
  {
    name: "Kafka: a delayed record is due before its time",
    file: "packages/kafka/src/delay/dueRecords.ts",
    find: "record.appendedAt + delayMs <= now",
    replace: "record.appendedAt + delayMs <= now + 1",
    tests: ["packages/kafka/src/delay/dueRecords.test.ts"],
    testName: "not a millisecond before",
  },
]
