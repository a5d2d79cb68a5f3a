import { expect, onTestFinished, test } from "vitest"
import { until } from "../../test/fixtures/until.ts"
import type { BrokerConnections } from "./brokerConnections.ts"
import type { BrokerError } from "./sendRequest.ts"
import { createTopicSender } from "./topicSender.ts"

// brokerFaults.extended.test.ts and publishErrors.extended.test.ts do the same with real brokers.

/** Brokers in memory. The leader of each partition, by its index. */
function startBrokers(leaders: (number | null)[]) {
  const state = {
    leaders,
    respond: true,
    /** The error of the topic's metadata, and that of a partition's records. */
    metadataError: null as BrokerError | null,
    produceErrors: new Map<number, BrokerError>(),
    appended: leaders.map(() => 0),
  }
  const requireResponse = () => {
    if (!state.respond) throw new Error("Closed connection")
  }
  async function readMetadata() {
    requireResponse()
    if (state.metadataError) return { error: state.metadataError }
    return { leaders: state.leaders.map((leader, partition) => ({ partition, leader })) }
  }
  const connections: BrokerConnections = {
    connect: async () => {},
    disconnect: async () => {},
    readMetadata,
    readMetadataFrom: readMetadata,
    isKnown: () => true,
    async produce(leader, _topic, partitions) {
      requireResponse()
      return new Map(
        partitions.map(({ partition, messages }) => {
          const error = state.produceErrors.get(partition) ?? null
          expect(leader).toBe(state.leaders[partition])
          if (error === null) state.appended[partition] = (state.appended[partition] ?? 0) + messages.length
          return [partition, error]
        }),
      )
    },
    fetchRecords: async () => [],
    listOffsets: async () => ({ ranges: [], unreadable: [] }),
  }
  const limits = { lingerMs: 1, maxBatchRecords: 100, maxBatchBytes: 100_000, requestTimeoutMs: 1_000 }
  const sender = createTopicSender("t", connections, limits)
  onTestFinished(() => sender.disconnect())
  /** Resolves when the record is acknowledged. */
  const publish = (partition: number) =>
    new Promise<void>((acknowledge, reject) => {
      const call = { settled: false, why: null, acknowledge, reject }
      sender.add({ message: { value: "x", partition }, bytes: 1, queuedAt: performance.now(), call })
    })
  return { state, publish, check: () => sender.check(1_000) }
}

test("only partitions with a leader acknowledge; those without delay none, and follow when they have one", async () => {
  const { state, publish, check } = startBrokers([1, null, 2, null])
  let acknowledged = 0
  const waiting = [publish(1), publish(3)]
  for (const each of waiting) void each.then(() => acknowledged++)
  await Promise.all([publish(0), publish(2)])
  const partial = { status: "partial", unavailable: [1, 3], partitions: 4 }
  expect(await check()).toMatchObject({ ...partial, why: "partition 1 has no leader" })
  expect(acknowledged).toBe(0)
  state.leaders = [1, 1, 2, 2]
  await Promise.all(waiting)
  expect(state.appended).toEqual([1, 1, 1, 1])
  await until(async () => (await check()).status === "available")
})

test("while no broker responds the topic is reported unavailable, and afterwards available, without publishing", async () => {
  const { state, check } = startBrokers([1, 2])
  expect(await check()).toEqual({ status: "available" })
  state.respond = false
  expect(await check()).toMatchObject({ status: "unavailable" })
  state.respond = true
  await until(async () => (await check()).status === "available")
})

test("a partition whose replicas are too few is reported, and acknowledges when they have returned", async () => {
  const { state, publish, check } = startBrokers([1, 2])
  const why = "Messages are rejected since there are fewer in-sync replicas than required"
  state.produceErrors.set(1, { type: "NOT_ENOUGH_REPLICAS", message: why })
  const rejectedAtFirst = publish(1)
  await until(async () => {
    await publish(0)
    return (await check()).status === "partial"
  })
  expect(await check()).toEqual({ status: "partial", unavailable: [1], partitions: 2, why })
  state.produceErrors.clear()
  await rejectedAtFirst
  expect(await check()).toEqual({ status: "available" })
})

test("without permission to write or describe the topic, publishing rejects at once, and succeeds with the permission", async () => {
  const { state, publish } = startBrokers([1])
  const denied = { type: "TOPIC_AUTHORIZATION_FAILED", message: "Not authorized to access topics" }
  const rejection = { name: "PermanentPublishError", reason: denied.type, scope: "topic", topic: "t" }
  state.metadataError = denied
  await expect(publish(0)).rejects.toMatchObject(rejection)
  state.metadataError = null
  state.produceErrors.set(0, denied)
  await expect(publish(0)).rejects.toMatchObject(rejection)
  state.produceErrors.clear()
  await publish(0)
  expect(state.appended).toEqual([1])
})

test("if a broker rejects record after record and accepts none, the topic is reported unavailable with the reason", async () => {
  const { state, publish, check } = startBrokers([1, 1])
  const invalid = { type: "INVALID_RECORD", message: "One or more records have been rejected" }
  const reject = () => expect(publish(0)).rejects.toMatchObject({ reason: invalid.type, scope: "record" })
  state.produceErrors.set(0, invalid)
  await publish(1)
  await reject()
  await reject()
  // An accepted record shows that the others were at fault.
  await publish(1)
  await reject()
  expect(await check()).toEqual({ status: "available" })
  await reject()
  await reject()
  expect(await check()).toMatchObject({ status: "partial", unavailable: [0], why: invalid.message })
  state.produceErrors.clear()
  await publish(0)
  expect(await check()).toEqual({ status: "available" })
})
