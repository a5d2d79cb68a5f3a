import { expect, test } from "vitest"
import { makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { groupLag } from "../../admin/groupLag.ts"

test("the lag of several topics contains every partition of each", async () => {
  const kafka = realBroker()
  const topics = await Promise.all([2, 3, 4].map((partitions) => makeTopic(kafka, { partitions })))
  const lags = await groupLag(kafka, uniqueName("group"), topics)
  expect(topics.map((topic) => lags.filter((each) => each.topic === topic).length)).toEqual([2, 3, 4])
})
