import type {
  Attempt,
  Delivery,
  DeliveryWithAttempts,
  InvalidEvent,
  ListedDelivery,
  TopicStatus,
} from "@sitewire/contracts"
import { expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"

const id = "0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b"
const day = "2026-03-01"
const at = (time: string) => `${day}T${time}Z`

const delivery: Delivery = {
  id,
  event_id: "order-1",
  channel: "acme",
  state: "delivered",
  attempts: 2,
  last_error: "status",
  last_status: 503,
  waiting_for: null,
  next_attempt_at: null,
  deferred_at: null,
  created_at: at("12:00:00.000"),
  finished_at: at("12:01:00.900"),
  dead_reason: null,
}
const listed: ListedDelivery = { ...delivery, reference: "user-4711", site_url: "https://shop.example/" }
const attempt = (number: number, started_at: string, outcome: Partial<Attempt>): Attempt => ({
  number,
  started_at,
  duration_ms: 84,
  lookup_ms: null,
  connect_ms: null,
  tls_ms: null,
  first_byte_ms: null,
  status: 204,
  error: null,
  detail: null,
  url: null,
  ip: null,
  request_headers: null,
  secret_id: "sec_1",
  response_excerpt: null,
  ...outcome,
})
const whole: DeliveryWithAttempts = {
  ...delivery,
  body: { reference: "user-4711", site_url: "https://shop.example/" },
  body_bytes: 300,
  attempt_log: [
    attempt(1, at("12:00:00.020"), { status: 503, error: "status", response_excerpt: "try\nlater" }),
    attempt(2, at("12:01:00.500"), {}),
  ],
  attempt_log_cursor: null,
  last_job: null,
}
const invalid: InvalidEvent = {
  rejected_at: at("12:00:00.000"),
  reason: "unknown channel",
  event_id: "order-2",
  key: "order-2",
  correlation: null,
  channel: "nova",
  delivery: null,
  bytes: 300,
  from: "site.paid 1 17",
}
const topic = (name: string, lag: number): TopicStatus => ({
  name: `production.${name}`,
  purpose: "",
  group: "g",
  records: 50,
  lag,
  oldest_unread_at: lag === 0 ? null : new Date(Date.now() - 3_000).toISOString(),
  behind: false,
  partitions: [],
})

type Responses = {
  found?: ListedDelivery[] | (() => object)
  delivery?: object | 403
  invalid?: InvalidEvent[] | 403
  lag?: number | 403
}

/** Runs `event show` with an API that has these. 403: the key may not read it. */
async function show(event: string, responses: Responses, ...more: string[]) {
  const { found = [], delivery: one = 403, invalid: rejected = [], lag = 0 } = responses
  const bodies: Record<string, object | 403> = {
    [`/v1/deliveries/${id}`]: one,
    [`/v1/invalid-events?event=${event}&limit=1`]:
      rejected === 403 ? 403 : { data: rejected, next_cursor: null },
    "/v1/topics": lag === 403 ? 403 : { data: [topic("site.paid.invalid", 9), topic("site.paid", lag)] },
  }
  const api = await startReceiver(({ path }, response) => {
    const page = () => (typeof found === "function" ? found() : { data: found, next_cursor: null })
    const body = path === `/v1/deliveries?event_id=${event}` ? page() : (bodies[path] ?? 403)
    if (body === 403) response.statusCode = 403
    response.end(JSON.stringify(body === 403 ? { type: "", title: "Missing scope", status: 403 } : body))
  })
  onTestFinished(() => api.close())
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" }
  return runCommand(["event", "show", event, ...more], { env })
}

test("event show tells an event's way from the topic to the partner", async () => {
  const { code, stdout } = await show("order-1", { found: [listed], delivery: whole })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^reference: +user-4711$/m)
  expect(stdout).toMatch(/^arrived: +2026-03-01T17:31:00\+05:30 \(.* ago\), 61s after it was published$/m)
  const steps = stdout.slice(stdout.indexOf("TIME")).trimEnd().split("\n")
  expect(steps.map((line) => line.replace(/^\S+ +/, "").trim())).toEqual([
    "AFTER  STEP",
    "0ms  appended to site.paid",
    "20ms  attempt 1: 503 in 84ms: try\\nlater",
    "61s  attempt 2: 204 ok in 84ms",
    "61s  delivered",
  ])
  expect(JSON.parse((await show("order-1", { found: [listed], delivery: whole }, "--json")).stdout)).toEqual({
    event_id: "order-1",
    delivery: whole,
    invalid: null,
  })
})

test("event show adds nothing to a failed attempt without a response's text", async () => {
  const attempt_log = [attempt(1, at("12:00:00.020"), { status: 401, error: "status" })]
  const { stdout } = await show("order-1", { found: [listed], delivery: { ...whole, attempt_log } })
  expect(stdout).toMatch(/attempt 1: 401 in 84ms$/m)
})

test("event show says what comes next, and who requested a resend", async () => {
  const waiting = {
    state: "pending",
    finished_at: null,
    deferred_at: at("12:02:00.000"),
    waiting_for: "breaker",
  }
  const last_job = {
    id: "job_1",
    kind: "resend",
    requested_at: at("12:00:30.000"),
    requested_by: "key_1 (ops)",
  }
  const failed = attempt(2, at("12:01:00.500"), { error: "timeout", status: null, detail: "no response" })
  const attempt_log = [...whole.attempt_log.slice(0, 1), failed]
  const cursor = { attempt_log_cursor: "c" }
  const one = { ...whole, ...waiting, ...cursor, last_job, attempt_log }
  const { stdout } = await show("order-1", { found: [listed], delivery: one })
  expect(stdout).toMatch(
    /^arrived: +no\nnext attempt: +deferred: its channel's circuit breaker is open \(since /m,
  )
  expect(stdout).toMatch(
    / 30s +resend requested by key_1 \(ops\)\n\S+ +61s +attempt 2: timeout in 84ms: no response\n\S+ +2m +deferred: breaker\n\nEarlier attempts: /,
  )
})

test("event show needs no right to read attempts, as a publisher has none", async () => {
  const { code, stdout } = await show("order-1", { found: [listed] })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^state: +delivered$/m)
  expect(stdout).toMatch(/ 0ms +appended to site\.paid\n\S+ +61s +delivered\n$/)
})

test("event show of an invalid event says why it was not delivered, and what to do", async () => {
  const { code, stdout, stderr } = await show("order-2", { invalid: [invalid] })
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^key: +order-2\nchannel: [\s\S]*\nreason: +unknown channel$/m),
  })
  expect(stderr).toContain("sitewire event replay")
})

test("an event whose attempt ends while its lag is read is found", async () => {
  let searches = 0
  const found = () => ({ data: searches++ === 0 ? [] : [listed], next_cursor: null })
  const { code, stdout } = await show("order-1", { found, delivery: whole, lag: 0 })
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^state: +delivered$/m) })
})

test("without a delivery, event show says whether the event can be in flight", async () => {
  const absent = await show("order-3", { invalid: [], lag: 0 })
  expect(absent).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("so none is in flight"),
  })
  expect(absent.stderr).toContain("not among the newest 20000 invalid events")
  const inFlight = await show("order-3", { lag: 2 })
  expect(inFlight.stderr).toMatch(
    /have not finished with 2 events, the oldest from 3\.\ds ago\. Repeat the command\. /,
  )
  const unknown = await show("order-3", { invalid: 403, lag: 403 })
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("at most 10 s after it began. Repeat"),
  })
  expect(unknown.stderr).toContain("Invalid events could not be searched")
})
