import Broker from "kafkajs/src/broker/index.js"
import protocolErrors from "kafkajs/src/protocol/error.js"
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

test("offsets are read again while the group's coordinator moves or loads, and any other error is thrown", async () => {
  const kafka = realBroker()
  const topic = await makeTopic(kafka)
  const offsetFetch = vi.spyOn(Broker.prototype, "offsetFetch")
  onTestFinished(() => offsetFetch.mockRestore())
  const codes = { loading: 14, unavailable: 15, moved: 16, unauthorized: 30 }
  // The real broker gives these errors for some moments after its start only.
  for (const code of [codes.moved, codes.unavailable, codes.loading])
    offsetFetch.mockRejectedValueOnce(protocolErrors.createErrorFromCode(code))
  expect(await groupLag(kafka, uniqueName("group"), [topic])).toMatchObject([{ topic, lag: 0 }])
  expect(offsetFetch).toHaveBeenCalledTimes(4)
  offsetFetch.mockRejectedValueOnce(protocolErrors.createErrorFromCode(codes.unauthorized))
  await expect(groupLag(kafka, uniqueName("group"), [topic])).rejects.toThrow("Not authorized")
})
