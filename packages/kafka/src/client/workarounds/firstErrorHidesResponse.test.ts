import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { makeTopic, realBroker } from "../../../test/fixtures/realBroker.ts"
import { createBrokerConnections } from "../../producer/brokerConnections.ts"

test("a rejected record leaves the outcome of the request's other partitions known", async () => {
  const topic = await makeTopic(realBroker(), { partitions: 2, config: { "cleanup.policy": "compact" } })
  const brokers = createBrokerConnections(realBroker(), { requestTimeoutMs: 5_000, retries: 2 })
  onTestFinished(() => brokers.disconnect())
  await brokers.connect()
  const withoutKey = { partition: 0, messages: [{ key: null, value: "compaction needs a key" }] }
  const withKey = { partition: 1, messages: [{ key: "a", value: "x" }] }
  // A new topic's leader is known some time before it accepts records.
  const outcomes = await waitUntil("an outcome of the leader", async () => {
    const metadata = await brokers.readMetadata(topic)
    const leader = "leaders" in metadata ? metadata.leaders[0]?.leader : null
    const found = await brokers.produce(leader ?? 0, topic, [withoutKey, withKey], 5_000)
    return found.get(1) === null && found
  })
  expect(outcomes.get(0)).toMatchObject({ type: "INVALID_RECORD" })
  expect(outcomes.get(1)).toBeNull()
})
