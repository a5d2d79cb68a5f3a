import { seal, sealContexts } from "@sitewire/database"
import { createEgress } from "@sitewire/egress"
import { verify } from "@sitewire/signing/sender"
import type { GrantedRun } from "@sitewire/syncs"
import { sealingKeys, sealSecret, secretOf } from "@sitewire/syncs/fixtures/windows"
import { expect, onTestFinished, test } from "vitest"
import { startSource } from "../../test/fixtures/source.ts"
import { createDelegateRunner } from "./delegateRunner.ts"
import { createOpenCredentials } from "./runner.ts"

const openCredentials = createOpenCredentials(sealingKeys)

const never = new AbortController().signal
const allowed = () => true
const startedAt = new Date("2026-01-01T00:00:00.000Z")

function runAt(source: string): GrantedRun {
  return {
    connection: "a",
    site: null,
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
    signingSecret: sealSecret("a"),
    requestHeaders: null,
    etag: null,
    contentSha256: null,
  }
}

function delegateTo({ allow = ["127.0.0.0/8"], deadlineMs = 60_000 } = {}) {
  const egress = createEgress({ allow, allowHttp: true, userAgent: "Sitewire/1", connectionsPerOrigin: 4 })
  onTestFinished(() => egress.close())
  return createDelegateRunner({ egress, openCredentials, deadlineMs, serviceName: "Sitewire" })
}

test("an executor gets connection, fence and window, with a signature over the raw body by the connection's own secret", async () => {
  const executor = await startSource((response) => response.end('{"changed":false}'))
  const { result } = await delegateTo()(runAt(executor.url("/sync")), allowed, never)
  expect(result).toEqual({ outcome: "unchanged", content: null })
  const [seen] = executor.seen("/sync")
  const body = seen?.body ?? ""
  expect(
    verify({ body, header: seen?.headers["x-sitewire-signature"], secrets: [secretOf("a")] }).valid,
  ).toBe(true)
  expect(JSON.parse(body)).toMatchObject({
    connection: "a",
    fence: 7,
    window_started_at: "2026-01-01T00:00:00.000Z",
    triggers: 2,
  })
})

test("an executor gets the connection's own headers, and none without their key", async () => {
  const executor = await startSource((response) => response.writeHead(204).end())
  const text = JSON.stringify({ authorization: "Bearer secret" })
  const sealedFor = (connection: string) => ({
    ...runAt(executor.url("/sync")),
    requestHeaders: seal(sealingKeys, sealContexts.sourceHeaders(connection), text),
  })
  await delegateTo()(sealedFor("a"), allowed, never)
  expect((await delegateTo()(sealedFor("b"), allowed, never)).result).toMatchObject({ error: "sealing-key" })
  expect(executor.seen("/sync").map(({ headers }) => headers.authorization)).toEqual(["Bearer secret"])
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
  const { result } = await delegateTo({ deadlineMs: 500 })(runAt(executor.url("/sync")), allowed, never)
  expect(result).toMatchObject({ outcome: "failed", error: "timeout" })
})

test("only executors in DELEGATE_ALLOWED_RANGES are called, and none without the connection's secret", async () => {
  const executor = await startSource()
  const run = runAt(executor.url("/sync"))
  expect((await delegateTo({ allow: [] })(run, allowed, never)).result).toMatchObject({
    error: "blocked-address",
  })
  const signingSecret = sealSecret("b")
  expect((await delegateTo()({ ...run, signingSecret }, allowed, never)).result).toMatchObject({
    error: "sealing-key",
  })
  expect(executor.seen("/sync")).toEqual([])
})
