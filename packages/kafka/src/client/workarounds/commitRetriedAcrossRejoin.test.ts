import type { EachBatchPayload } from "kafkajs"
import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { protocolError } from "../../../test/fixtures/protocolError.ts"
import { makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { startProducer } from "../../producer/startProducer.ts"
import { createClient } from "../createClient.ts"
import { commitWithoutRetry } from "./commitRetriedAcrossRejoin.ts"

test("a commit that a rebalance interrupts rejects and is not sent again", async () => {
  const kafka = realBroker()
  const topic = await makeTopic(kafka)
  const producer = await startProducer({ kafka })
  await producer.publish([{ topic, key: null, value: "x" }])
  await producer.close(1_000)
  const limits = { requestTimeoutMs: 5_000, retries: 2 }
  const consumer = createClient(kafka, limits).consumer({
    groupId: uniqueName("group"),
    maxWaitTimeInMs: 250,
  })
  onTestFinished(() => consumer.disconnect())
  const fetched = Promise.withResolvers<EachBatchPayload>()
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({ autoCommit: false, eachBatch: async (batch) => fetched.resolve(batch) })
  const batch = await fetched.promise

  const interrupted = protocolError("REBALANCE_IN_PROGRESS")
  const offsetCommit = vi.spyOn(Broker.prototype, "offsetCommit").mockRejectedValueOnce(interrupted)
  onTestFinished(() => offsetCommit.mockRestore())
  const committing = commitWithoutRetry(batch, [{ topic, partition: 0, offset: "1" }])
  await expect(committing).rejects.toThrow("REBALANCE_IN_PROGRESS")
  expect(offsetCommit).toHaveBeenCalledTimes(1)
})
