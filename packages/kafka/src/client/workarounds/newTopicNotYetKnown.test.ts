import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { protocolError } from "../../../test/fixtures/protocolError.ts"
import { realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { ensureTopics } from "../../admin/ensureTopics.ts"
import { requireTopics } from "../../admin/requireTopics.ts"

test("a topic counts as created although the broker does not know it right afterwards", async () => {
  const [kafka, name] = [realBroker(), uniqueName("topic")]
  const { createTopics, metadata } = Broker.prototype
  let created = false
  const creating = vi.spyOn(Broker.prototype, "createTopics").mockImplementation(async function (
    this: Broker,
    request,
  ) {
    const response = await createTopics.call(this, request)
    created = true
    return response
  })
  const reading = vi.spyOn(Broker.prototype, "metadata").mockImplementation(async function (
    this: Broker,
    topics,
  ) {
    if (!created) return metadata.call(this, topics)
    created = false
    throw protocolError("UNKNOWN_TOPIC_OR_PARTITION")
  })
  onTestFinished(() => {
    creating.mockRestore()
    reading.mockRestore()
  })
  const result = await ensureTopics({ kafka, topics: [{ name, partitions: 1, config: {} }] })
  expect(result.created).toEqual([name])
  await requireTopics(kafka, [name])
})
