import { dueDelivery } from "@sitewire/deliveries/fixtures/dueDelivery"
import { createLogger } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import { createBacklogs } from "./backlogs.ts"
import { type DrainParts, drainDeferred } from "./drainDeferred.ts"
import { createStartClaimed } from "./startClaimed.ts"

type Given = Pick<DrainParts, "findDeferredChannels" | "claim" | "limiter"> &
  Partial<Pick<DrainParts, "pollIntervalMs" | "onPoll">>

/** By default, it polls once. */
function start({ pollIntervalMs = 600_000, ...given }: Given) {
  const stopping = new AbortController()
  const backlogs = createBacklogs(stopping.signal)
  const parts = {
    stopping: stopping.signal,
    metrics: createTestMetrics(),
    log: createLogger({ service: "test", level: "silent" }),
  }
  const claimed = createStartClaimed({
    attempt: async () => {},
    release: async () => {},
    most: 10,
    onFree: backlogs.wake,
    ...parts,
  })
  const draining = drainDeferred({
    makeDue: async () => 0,
    onPoll: async () => {},
    ...given,
    ...{ backlogs, claimed, pollIntervalMs },
    ...parts,
  })
  onTestFinished(async () => {
    stopping.abort()
    await draining
  })
  return backlogs
}

test("a channel that waits among those that have not responded yet is claimed when it has responded, although they still hang", async () => {
  let kind: "unknown" | "quick" = "unknown"
  let polls = 0
  const claimed: string[] = []
  start({
    findDeferredChannels: async () => {
      polls += 1
      return [{ channel: "acme", paused: false, oldestMs: 0 }]
    },
    claim: async (requests) => {
      claimed.push(...requests.map(({ channel }) => channel))
      return []
    },
    limiter: {
      capacity: () => 1,
      kindOf: () => kind,
      freeOfKind: () => 0,
      pause: () => {},
    },
    pollIntervalMs: 20,
  })
  await waitUntil("polls", () => polls > 2)
  expect(claimed).toEqual([])
  kind = "quick"
  await waitUntil("the claim", () => claimed.includes("acme"))
})

test("a channel with a maximum rate is claimed again without a poll, until a claim finds no more of it", async () => {
  const claim = { ...dueDelivery.claim, deferredAt: new Date() }
  const due = { ...dueDelivery, claim, channel: { ...dueDelivery.channel, max_per_second: 20 } }
  const results = [[due, due], [due], []]
  let claims = 0
  const backlogs = start({
    findDeferredChannels: async () => [{ channel: due.channel.channel_id, paused: false, oldestMs: 0 }],
    claim: async () => results[claims++] ?? [],
    limiter: { capacity: () => 10, kindOf: () => "quick", freeOfKind: () => 10, pause: () => {} },
  })
  await waitUntil("the last claim", () => claims === 3)
  expect(backlogs.all()).toEqual(new Set())
})

test("a delivery that is deferred during a claim which finds no more of its channel is claimed without a poll", async () => {
  const claims: PromiseWithResolvers<[]>[] = []
  const backlogs = start({
    findDeferredChannels: async () => [{ channel: "acme", paused: false, oldestMs: 0 }],
    claim: () => {
      const claim = Promise.withResolvers<[]>()
      claims.push(claim)
      return claim.promise
    },
    limiter: { capacity: () => 1, kindOf: () => "quick", freeOfKind: () => 1, pause: () => {} },
  })
  await waitUntil("the first claim", () => claims.length === 1)
  backlogs.onDeferred("acme", "busy")
  claims[0]?.resolve([])
  await waitUntil("the second claim", () => claims.length === 2)
  claims[1]?.resolve([])
})

test("what follows a poll begins again only when it has ended, and no claim waits for it", async () => {
  let polls = 0
  let begun = 0
  let end = () => {}
  start({
    async findDeferredChannels() {
      polls += 1
      return []
    },
    claim: async () => [],
    limiter: { capacity: () => 1, kindOf: () => "quick", freeOfKind: () => 1, pause: () => {} },
    async onPoll() {
      begun += 1
      await new Promise<void>((resolve) => {
        end = resolve
      })
    },
    pollIntervalMs: 20,
  })
  await waitUntil("polls", () => polls > 3)
  expect(begun).toBe(1)
  end()
  await waitUntil("the next one", () => begun === 2)
  end()
})
