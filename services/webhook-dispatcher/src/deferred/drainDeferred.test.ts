import { createLogger } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { dueDelivery } from "../../test/fixtures/dueDelivery.ts"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import { type DrainParts, drainDeferred } from "./drainDeferred.ts"

type Given = Pick<DrainParts, "findDeferredChannels" | "claim" | "limiter"> &
  Partial<Pick<DrainParts, "pollIntervalMs" | "onPoll">>

/** By default, it polls once. */
function start({ pollIntervalMs = 600_000, ...parts }: Given) {
  const drain = drainDeferred({
    attempt: async () => {},
    release: async () => {},
    onPoll: async () => {},
    ...parts,
    pollIntervalMs,
    maxClaimed: 10,
    metrics: createTestMetrics(),
    log: createLogger({ service: "test", level: "silent" }),
  })
  onTestFinished(() => drain.close(0))
  return drain
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
  const claim = { deferredAt: new Date(), leaseExpiresAt: new Date(), startAt: 0, attemptBefore: 0 }
  const due = { ...dueDelivery, claim, channel: { ...dueDelivery.channel, maxPerSecond: 20 } }
  const results = [[due, due], [due], []]
  let claims = 0
  const drain = start({
    findDeferredChannels: async () => [{ channel: due.channel.id, paused: false, oldestMs: 0 }],
    claim: async () => results[claims++] ?? [],
    limiter: { capacity: () => 10, kindOf: () => "quick", freeOfKind: () => 10, pause: () => {} },
  })
  await waitUntil("the last claim", () => claims === 3)
  expect(drain.channels()).toEqual(new Set())
})

test("a delivery that is deferred during a claim which finds no more of its channel is claimed without a poll", async () => {
  const claims: PromiseWithResolvers<[]>[] = []
  const drain = start({
    findDeferredChannels: async () => [{ channel: "acme", paused: false, oldestMs: 0 }],
    claim: () => {
      const claim = Promise.withResolvers<[]>()
      claims.push(claim)
      return claim.promise
    },
    limiter: { capacity: () => 1, kindOf: () => "quick", freeOfKind: () => 1, pause: () => {} },
  })
  await waitUntil("the first claim", () => claims.length === 1)
  drain.onDeferred("acme", "busy")
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
