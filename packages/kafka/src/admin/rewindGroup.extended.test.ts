import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { makeTopic, realBroker, uniqueName } from "../../test/fixtures/realBroker.ts"
import { startProducer } from "../producer/startProducer.ts"
import { groupLag } from "./groupLag.ts"
import { rewindGroup } from "./rewindGroup.ts"

const kafka = realBroker()

test("rewinding a group to a time makes it consume the records since then again, and never moves it forward", async () => {
  const topic = await makeTopic(kafka)
  const group = uniqueName("group")
  const producer = await startProducer({ kafka })
  const publish = (value: string) => producer.publish([{ topic, key: value, value }])
  const lag = async () => (await groupLag(kafka, group, [topic])).reduce((sum, { lag }) => sum + lag, 0)
  // Timestamps are whole milliseconds.
  await publish("old")
  await sleep(20)
  const since = Date.now()
  await sleep(20)
  await publish("new")
  await publish("newest")
  await producer.close(1_000)

  expect(await lag()).toBe(3)
  await rewindGroup({ kafka, group, topic, since })
  expect(await lag()).toBe(2)
  await rewindGroup({ kafka, group, topic, since: Date.now() + 60_000 })
  expect(await lag()).toBe(2)
})
