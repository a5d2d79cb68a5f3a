import kafkajs from "kafkajs"
import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { protocolError } from "../../../test/fixtures/protocolError.ts"
import { makeTopic, realBroker } from "../../../test/fixtures/realBroker.ts"
import { requireTopics, topicExists } from "../../admin/requireTopics.ts"
import { withAdmin } from "../../admin/withAdmin.ts"

const closed = () => new kafkajs.KafkaJSConnectionError("Closed connection")

test("a topic that is deleted while its metadata is read is missing", async () => {
  const topic = await makeTopic(realBroker())
  // kafkajs reads the metadata twice, and hides only errors of the second read.
  failReads((call) => (call === 1 ? null : protocolError("UNKNOWN_TOPIC_OR_PARTITION")))
  expect(await withAdmin(realBroker(), 5_000, (admin) => topicExists(admin, topic))).toBe(false)
})

test("a read that no broker answers is repeated", async () => {
  const topic = await makeTopic(realBroker())
  const reads = failReads((call) => (call === 2 ? closed() : null))
  await requireTopics(realBroker(), [topic])
  expect(reads()).toBeGreaterThan(2)
})

test("while no broker answers, the error states the reason", async () => {
  const topic = await makeTopic(realBroker())
  failReads((call) => (call % 2 === 0 ? closed() : null))
  await expect(requireTopics(realBroker(), [topic])).rejects.toThrow("Closed connection")
})

function failReads(errorOf: (call: number) => Error | null): () => number {
  const { metadata } = Broker.prototype
  let calls = 0
  const spy = vi.spyOn(Broker.prototype, "metadata").mockImplementation(async function (
    this: Broker,
    topics,
  ) {
    calls += 1
    const error = errorOf(calls)
    if (error) throw error
    return metadata.call(this, topics)
  })
  onTestFinished(() => spy.mockRestore())
  return () => calls
}
