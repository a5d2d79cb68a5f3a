import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { groupLag } from "../../admin/groupLag.ts"

test("the lag of several topics contains every partition of each, with one request per topic", async () => {
  const kafka = realBroker()
  const topics = await Promise.all([2, 3, 4].map((partitions) => makeTopic(kafka, { partitions })))
  // kafkajs omits a topic of a larger request only now and then.
  const offsetFetch = vi.spyOn(Broker.prototype, "offsetFetch")
  onTestFinished(() => offsetFetch.mockRestore())
  const lags = await groupLag(kafka, uniqueName("group"), topics)
  expect(topics.map((topic) => lags.filter((each) => each.topic === topic).length)).toEqual([2, 3, 4])
  expect(offsetFetch.mock.calls.map(([request]) => request.topics.length)).toEqual([1, 1, 1])
})
