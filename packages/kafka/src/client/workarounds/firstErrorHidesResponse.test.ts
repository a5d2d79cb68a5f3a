import { expect, onTestFinished, test } from "vitest"
import { makeTopic, realBroker } from "../../../test/fixtures/realBroker.ts"
import { createBrokerConnections } from "../../producer/brokerConnections.ts"

test("a rejected record leaves the outcome of the request's other partitions known", async () => {
  const topic = await makeTopic(realBroker(), { partitions: 2, config: { "cleanup.policy": "compact" } })
  const brokers = createBrokerConnections(realBroker(), { requestTimeoutMs: 5_000, retries: 2 })
  onTestFinished(() => brokers.disconnect())
  await brokers.connect()
  const metadata = await brokers.readMetadata(topic)
  const leader = "leaders" in metadata ? metadata.leaders[0]?.leader : null
  const withoutKey = { partition: 0, messages: [{ key: null, value: "compaction needs a key" }] }
  const withKey = { partition: 1, messages: [{ key: "a", value: "x" }] }
  const outcomes = await brokers.produce(leader ?? 0, topic, [withoutKey, withKey], 5_000)
  expect(outcomes.get(0)).toMatchObject({ type: "INVALID_RECORD" })
  expect(outcomes.get(1)).toBeNull()
})
