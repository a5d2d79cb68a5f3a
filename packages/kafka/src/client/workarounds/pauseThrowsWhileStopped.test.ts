import { expect, test } from "vitest"
import { realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { startMembership } from "../../consumer/startMembership.ts"

test("pausing and resuming a partition of a member that has not joined yet throws nothing", async () => {
  const ignore = () => {}
  const membership = startMembership({
    kafka: realBroker(),
    group: uniqueName("group"),
    topics: [uniqueName("topic")],
    sessionTimeoutMs: 6_000,
    fetchBytes: 1_048_576,
    pauseMs: 0,
    onJoin: ignore,
    onLeave: ignore,
    onFetched: async () => {},
    onSkipped: () => {},
    onHealth: ignore,
  })
  expect(() => membership.pause({ topic: "any", partition: 0 })).not.toThrow()
  expect(() => membership.resume({ topic: "any", partition: 0 })).not.toThrow()
  membership.end("the test is over")
  await membership.leave()
})
