import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { protocolError } from "../../../test/fixtures/protocolError.ts"
import { makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { withAdmin } from "../../admin/withAdmin.ts"
import { topicExists } from "./listTopicsNeedsAllLeaders.ts"

test("a topic is found, or missing, while a topic of another application has a partition without a leader", async () => {
  const kafka = realBroker()
  const [topic, leaderless] = [await makeTopic(kafka), await makeTopic(kafka)]
  const { metadata } = Broker.prototype
  const spy = vi.spyOn(Broker.prototype, "metadata").mockImplementation(async function (
    this: Broker,
    topics,
  ) {
    // An empty list requests all topics of the cluster.
    if (topics.length === 0 || topics.includes(leaderless)) throw protocolError("LEADER_NOT_AVAILABLE")
    return metadata.call(this, topics)
  })
  onTestFinished(() => spy.mockRestore())
  await withAdmin(kafka, 5_000, async (admin) => {
    expect(await topicExists(admin, topic)).toBe(true)
    expect(await topicExists(admin, uniqueName("missing"))).toBe(false)
    expect(await topicExists(admin, leaderless)).toBe(true)
  })
})
