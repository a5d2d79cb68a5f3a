import { EventEmitter } from "node:events"
import type { Consumer } from "kafkajs"
import { expect, test } from "vitest"
import { realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { createClient } from "../createClient.ts"
import { endAfterUnsafeRejoin } from "./rejoinWhileFetching.ts"

// brokerFaults.extended.test.ts causes such a rejoin on real brokers.
function observedConsumer() {
  const { events } = createClient(realBroker(), { requestTimeoutMs: 1_000, retries: 0 }).consumer({
    groupId: uniqueName("group"),
  })
  const emitter = new EventEmitter()
  const ends: string[] = []
  const consumer = { events, on: emitter.on.bind(emitter) } as unknown as Consumer
  endAfterUnsafeRejoin(consumer, (why) => ends.push(why))
  return {
    ends,
    fetchFrom: (nodeId: number) => emitter.emit(events.FETCH_START, { payload: { nodeId } }),
    rebalance: () => emitter.emit(events.REBALANCING),
    join: () => emitter.emit(events.GROUP_JOIN),
  }
}

test("a membership ends if the group is rejoined while two brokers are fetched from", () => {
  const it = observedConsumer()
  it.join()
  it.fetchFrom(1)
  it.fetchFrom(2)
  it.join()
  expect(it.ends).toHaveLength(1)
})

test("a rejoin is safe with one broker, and after all fetch loops have stopped", () => {
  const it = observedConsumer()
  it.join()
  it.fetchFrom(1)
  it.join()
  it.fetchFrom(2)
  it.rebalance()
  it.join()
  expect(it.ends).toEqual([])
})
