import { createEgress } from "@sitewire/egress"
import { verify } from "@sitewire/signing"
import { expect, onTestFinished, test } from "vitest"
import { startSource } from "../../test/fixtures/source.ts"
import type { GrantedRun } from "../syncRun.ts"
import { createDelegateRunner } from "./delegateRunner.ts"

const never = new AbortController().signal
const allowed = () => true
const startedAt = new Date("2026-01-01T00:00:00.000Z")

function runAt(source: string): GrantedRun {
  return {
    connection: "a",
    fence: 7,
    runner: "delegate",
    source,
    host: "executor",
    slow: false,
    grantId: "00000000-0000-4000-8000-000000000000",
    startedAt,
    triggers: 2,
    firstTriggerAt: startedAt,
    lastTriggerAt: startedAt,
    waitedFor: "window",
    correlation: "c",
    traceparents: [],
    snapshot: null,
  }
}

function delegateTo(options: { allow?: string[]; secret?: string | undefined } = {}) {
  const { allow = ["127.0.0.0/8"] } = options
  const egress = createEgress({ allow, allowHttp: true, userAgent: "Sitewire/1", connectionsPerOrigin: 4 })
  onTestFinished(() => egress.close())
  const secret = "secret" in options ? options.secret : "s3cret"
  return createDelegateRunner({ egress, deadlineMs: 500, serviceName: "Sitewire", secret })
}

test("an executor gets connection, fence and window, with a signature over the raw body", async () => {
  const executor = await startSource((response) => response.end('{"changed":false}'))
  const { result } = await delegateTo()(runAt(executor.url("/sync")), allowed, never)
  expect(result).toEqual({ outcome: "unchanged", content: null })
  const [seen] = executor.seen("/sync")
  const body = seen?.body ?? ""
  expect(verify({ body, header: seen?.headers["x-sitewire-signature"], secrets: ["s3cret"] }).valid).toBe(
    true,
  )
  expect(JSON.parse(body)).toMatchObject({
    connection: "a",
    fence: 7,
    window_started_at: "2026-01-01T00:00:00.000Z",
    triggers: 2,
  })
})

test.each([
  [204, "", "changed"],
  [200, '{"changed":true}', "changed"],
  [200, "done", "changed"],
  [500, '{"changed":true}', "failed"],
])(
  "a response of an executor with status %i and body %j ends the run as %s",
  async (status, body, outcome) => {
    const executor = await startSource((response) => response.writeHead(status).end(body))
    expect((await delegateTo()(runAt(executor.url("/sync")), allowed, never)).result.outcome).toBe(outcome)
  },
)

test("a run whose executor does not respond fails at the deadline", async () => {
  const executor = await startSource(() => {})
  const { result } = await delegateTo()(runAt(executor.url("/sync")), allowed, never)
  expect(result).toMatchObject({ outcome: "failed", error: "timeout" })
})

test("only executors in DELEGATE_ALLOWED_RANGES are called, and none without a secret", async () => {
  const executor = await startSource()
  const run = runAt(executor.url("/sync"))
  expect((await delegateTo({ allow: [] })(run, allowed, never)).result).toMatchObject({
    error: "blocked-address",
  })
  expect((await delegateTo({ secret: undefined })(run, allowed, never)).result).toMatchObject({
    error: "not-configured",
  })
  expect(executor.seen("/sync")).toEqual([])
})
