import type { ChannelHealth } from "@sitewire/contracts"
import { expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"

const statistics = {
  attempts: 0,
  succeeded: 0,
  success_rate: null,
  latency_p50_ms: null,
  latency_p99_ms: null,
}
const at = "2026-03-01T12:00:00.000Z"
const delivery = "0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b"
const failing: ChannelHealth = {
  channel: "acme",
  health: "failing",
  failing_since: at,
  paused_at: null,
  max_per_second: null,
  dispatchers: [
    {
      id: "dsp_1",
      breaker: "open",
      breaker_opened_at: at,
      failures: 20,
      concurrency_limit: 1,
      in_flight: 0,
      average_ms: null,
      updated_at: at,
    },
  ],
  deferred: [],
  scheduled: { count: 0, next_attempt_at: null },
  dead: { count: 0, created_after: at },
  retry_period_ms: 21_600_000,
  counted_before: at,
  last_hour: statistics,
  last_day: statistics,
  responses: [],
  last_success: null,
  last_failure: { delivery, at, status: null, error: "timeout", detail: null },
}

async function notesFor(more: Partial<ChannelHealth>): Promise<string[]> {
  const api = await startReceiver((_, response) => response.end(JSON.stringify({ ...failing, ...more })))
  onTestFinished(() => api.close())
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" }
  const { code, stderr } = await runCommand(["channel", "health", "acme"], { env })
  expect(code).toBe(0)
  return stderr.trimEnd().split("\n")
}

test("channel health says when an open circuit breaker admits attempts, and where the last failure is", async () => {
  expect(await notesFor({})).toEqual([
    "Single attempts check whether the receiver works again. By default, the wait between two of them grows from 30 seconds to 5 minutes.",
    `To see its last attempts: sitewire delivery show ${delivery}`,
  ])
})

test("channel health says nothing of attempts while the channel is paused, and names a response if there was one", async () => {
  const last_failure = { delivery, at, status: 503, error: "status" as const, detail: null }
  expect(await notesFor({ paused_at: at, last_failure })).toEqual([
    `To see what the partner's server responded: sitewire delivery show ${delivery}`,
  ])
})

test("an empty list says that nothing matches if --failing or another filter was given, and not for an argument", async () => {
  const api = await startReceiver((_, response) => response.end('{"data":[],"next_cursor":null}'))
  onTestFinished(() => api.close())
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" }
  const list = async (...args: string[]) => (await runCommand(args, { env })).stdout.trimEnd()
  expect(await list("channel", "list", "--failing")).toBe("No such channels.")
  expect(await list("channel", "list")).toContain("Create one")
  expect(await list("sync", "list", "bakery")).toContain("No syncs are stored")
})
