import type { Mutant } from "../mutant.ts"

export const kafkaMutants: readonly Mutant[] = [
  {
    name: "Kafka: a record is acknowledged when only its leader has it",
    file: "packages/kafka/src/producer/produceRequest.ts",
    find: "acks: -1",
    replace: "acks: 1",
    tests: ["packages/kafka/src/producer/startProducer.test.ts"],
    testName: "only when as many replicas have it as the topic requires",
  },
  {
    name: "Kafka: a record that is done commits earlier records that are not done",
    file: "packages/kafka/src/consumer/trackOffsets.ts",
    find: "while (first < records.length && records[first] === null) first += 1",
    replace: "while (first <= index) first += 1",
    tests: ["packages/kafka/src/consumer/trackOffsets.test.ts"],
    testName: "only the offset of the first record that is not done is committable",
  },
  {
    name: "Kafka: a delayed record is due before its time",
    file: "packages/kafka/src/delay/dueRecords.ts",
    find: "record.appendedAt + delayMs <= now",
    replace: "record.appendedAt + delayMs <= now + 1",
    tests: ["packages/kafka/src/delay/dueRecords.test.ts"],
    testName: "not a millisecond before",
  },
  {
    name: "Kafka: a consumer whose clock was set back commits nothing, and reports that it is healthy",
    file: "packages/kafka/src/client/workarounds/clockSetBackStopsHeartbeats.ts",
    find: "if (setBackMs > sessionTimeoutMs / 2)",
    replace: "if (setBackMs > sessionTimeoutMs * 1_000_000)",
    tests: ["packages/kafka/src/client/workarounds/clockSetBackStopsHeartbeats.test.ts"],
  },
]
