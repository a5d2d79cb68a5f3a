import { expect, test } from "vitest"
import { makeTopic, realBroker, topicConfig } from "../../../test/fixtures/realBroker.ts"
import { until } from "../../../test/fixtures/until.ts"
import { ensureTopics } from "../../admin/ensureTopics.ts"

test("changing one setting of a topic leaves those unchanged that somebody else made", async () => {
  const kafka = realBroker()
  const name = await makeTopic(kafka, { config: { "max.message.bytes": "500000" } })
  await ensureTopics({ kafka, topics: [{ name, partitions: 1, config: { "retention.ms": "2000" } }] })
  // The broker applies settings a moment after it has acknowledged them.
  await until(async () => (await topicConfig(kafka, name))["retention.ms"] === "2000")
  expect(await topicConfig(kafka, name)).toMatchObject({ "max.message.bytes": "500000" })
})
