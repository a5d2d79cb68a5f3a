import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { makeTopic, realBroker } from "../../../test/fixtures/realBroker.ts"
import { createBrokerConnections } from "../../producer/brokerConnections.ts"

test("a rejected record leaves the outcome of the request's other partitions known", async () => {
  const topic = await makeTopic(realBroker(), { partitions: 2, config: { "cleanup.policy": "compact" } })
  const brokers = createBrokerConnections(realBroker(), { requestTimeoutMs: 5_000, retries: 2 })
  onTestFinished(() => brokers.disconnect())
  await brokers.connect()
  const accepted = (partition: number) => ({ partition, messages: [{ key: "a", value: "x" }] })
  const rejected = { partition: 0, messages: [{ key: null, value: "compaction needs a key" }] }
  // A new topic's leaders are known some time before they accept records.
  const { leader } = await waitUntil("both partitions to accept records", async () => {
    const metadata = await brokers.readMetadata(topic)
    const leader = ("leaders" in metadata ? metadata.leaders[0]?.leader : null) ?? 0
    const found = await brokers.produce(leader, topic, [accepted(0), accepted(1)], 5_000)
    return found.get(0) === null && found.get(1) === null && { leader }
  })
  const outcomes = await brokers.produce(leader, topic, [rejected, accepted(1)], 5_000)
  expect(outcomes.get(0)).toMatchObject({ type: "INVALID_RECORD" })
  expect(outcomes.get(1)).toBeNull()
})
