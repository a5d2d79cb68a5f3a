import { createLogger } from "@sitewire/runtime"
import type { UnpublishedChange } from "@sitewire/syncs"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startPublishingChanges } from "./startPublishingChanges.ts"

test("a change that Kafka does not acknowledge is not settled, and the topic counts as failed until it accepts one", async () => {
  const change = { connection: "a", claimId: "1", wasUnfinished: false, content: null }
  const claimed: UnpublishedChange[][] = [[change], [change, { ...change, connection: "b" }]]
  const settled: UnpublishedChange[][] = []
  const states: boolean[] = []
  let failures = 2
  const publishing = startPublishingChanges({
    claim: async () => claimed.shift() ?? [],
    settle: async (changes) => void settled.push(changes),
    producer: {
      publish: async () => {
        if (failures-- > 0) throw new Error("not acknowledged")
      },
    },
    topic: "connection.changed",
    onTopic: (working) => states.push(working),
    intervalMs: 1,
    log: createLogger({ service: "test", level: "silent" }),
  })
  await waitUntil("the second", () => settled.length > 0)
  await publishing.close()
  expect(settled).toMatchObject([[{ connection: "b" }]])
  expect(states).toEqual([false, false, true])
})
