import ConnectionPool from "kafkajs/src/network/connectionPool.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { ensureTopics } from "../../admin/ensureTopics.ts"

const leaderNotAvailable = 5
const leaderless = {
  topicErrorCode: 0,
  topic: "of-another-application",
  isInternal: false,
  partitionMetadata: [
    { partitionErrorCode: leaderNotAvailable, partitionId: 0, leader: -1, replicas: [9], isr: [9] },
  ],
}

test("topics are created and changed while a topic of another application has a partition without a leader", async () => {
  const kafka = realBroker()
  // So that metadata of all topics has more than one.
  await Promise.all([makeTopic(kafka), makeTopic(kafka)])
  const { send } = ConnectionPool.prototype
  let added = 0
  type Decoded = { topicMetadata: object[] }
  type Call = { request: { apiName: string }; response: { decode(data: Buffer): Promise<Decoded> } }
  const spy = vi.spyOn(ConnectionPool.prototype, "send").mockImplementation(function (
    this: ConnectionPool,
    call,
  ) {
    const { request, response } = call as Call
    if (request.apiName !== "Metadata") return send.call(this, call)
    const decode = async (data: Buffer) => {
      const decoded = await response.decode(data)
      if (decoded.topicMetadata.length < 2) return decoded
      added++
      return { ...decoded, topicMetadata: [...decoded.topicMetadata, leaderless] }
    }
    return send.call(this, { ...call, response: { ...response, decode } } as Call)
  })
  onTestFinished(() => spy.mockRestore())
  const topic = { name: uniqueName("ours"), partitions: 1, config: {} }
  expect(await ensureTopics({ kafka, topics: [topic] })).toMatchObject({ created: [topic.name] })
  const larger = { ...topic, partitions: 2, config: { "retention.ms": "100000" } }
  expect(await ensureTopics({ kafka, topics: [larger] })).toMatchObject({ changed: [topic.name] })
  expect(added).toBeGreaterThan(0)
})
