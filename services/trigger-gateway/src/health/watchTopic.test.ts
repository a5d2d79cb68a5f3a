import type { TopicState } from "@sitewire/kafka"
import { createLogger, createReadiness } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { watchTopic } from "./watchTopic.ts"

test("if only some partitions accept records, the gateway stays ready and reports them; if none does, it is unready", async () => {
  let state: TopicState = { status: "available" }
  let checks = 0
  let output = ""
  const write = (line: string) => {
    output += line
  }
  const readiness = createReadiness(["kafka"])
  const watch = await watchTopic({
    producer: {
      publish: async () => {},
      async check() {
        checks += 1
        return state
      },
    },
    topic: "connector.triggered",
    everyMs: 5,
    withinMs: 1_000,
    readiness,
    log: createLogger({ service: "test", level: "info" }, { write }),
  })
  onTestFinished(watch.stop)
  async function become(next: TopicState) {
    state = next
    const before = checks
    await waitUntil("another check", () => checks > before + 1)
    const { ready, checks: all } = readiness.read()
    return {
      ready,
      why: all.kafka?.why,
      count: watch.unavailablePartitions(),
    }
  }
  const why = "no leader"
  const partial: TopicState = { status: "partial", unavailable: [1, 4], partitions: 6, why }
  expect(await become(partial)).toEqual({
    ready: true,
    why: "2 of 6 partitions accept no records (1, 4): no leader",
    count: 2,
  })
  expect(await become({ status: "unavailable", why })).toEqual({ ready: false, why, count: 0 })
  await become(partial)
  expect(await become({ status: "available" })).toMatchObject({ ready: true, why: undefined })
  expect(output.match(/some partitions accept no records/g)).toHaveLength(2)
  expect(output.match(/all partitions accept records again/g)).toHaveLength(1)
})
