import { expect, test } from "vitest"
import { makeTopic, realBroker, uniqueName } from "../../test/fixtures/realBroker.ts"
import { deleteTopics } from "./deleteTopics.ts"
import { ensureTopics } from "./ensureTopics.ts"
import { requireTopics } from "./requireTopics.ts"

const kafka = realBroker()

test("topics are gone once deleteTopics resolves, and can be created again", async () => {
  const topic = await makeTopic(kafka)
  await deleteTopics(kafka, [topic])
  await expect(requireTopics(kafka, [topic])).rejects.toThrow(topic)
  const { created } = await ensureTopics({ kafka, topics: [{ name: topic, partitions: 1, config: {} }] })
  expect(created).toEqual([topic])
})

test("deleting a topic that does not exist is no error, and the others are deleted", async () => {
  const topic = await makeTopic(kafka)
  await deleteTopics(kafka, [uniqueName("missing"), topic])
  await expect(requireTopics(kafka, [topic])).rejects.toThrow(topic)
})
