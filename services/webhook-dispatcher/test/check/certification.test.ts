import { startReceiver } from "@sitewire/cli/receivers"
import { pointIdSchema } from "@sitewire/contracts"
import { sign } from "@sitewire/signing/sender"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { requestCheck, resultsOf, waitForCheck } from "../fixtures/requestCheck.ts"
import { secret, startInstallation } from "../fixtures/testDispatcher.ts"
import {
  type FaultyReceiverName,
  faultyReceivers,
  isSigned,
  startFaulty,
  startLibraryReceiver,
  verifying,
} from "../fixtures/verifyingReceivers.ts"

const retiredSecret = "the secret that was retired"
const stagedSecret = "the secret that is staged"
let it: Awaited<ReturnType<typeof startInstallation>>
let dispatcher: Awaited<ReturnType<typeof it.dispatcher>>

beforeAll(async () => {
  it = await startInstallation()
  // A response that takes more than half of this is a warning. See certify.test.ts.
  dispatcher = await it.dispatcher({ DELIVERY_TIMEOUT: "60s" })
})
afterAll(() => it[Symbol.asyncDispose]())

let channels = 0

/** Certifies the receiver at this address, as that of a new channel with a retired secret. */
async function certify(url: string, prepare: (channel: string) => Promise<unknown> = async () => {}) {
  channels += 1
  const channel = `channel-${channels}`
  await it.channel(channel, url)
  const body = Buffer.from('{"event":"site.ready"}')
  await it.sql(
    "insert into retired_secret (channel_id, secret_id, test_body, test_signature) values ($1, 'sec_0', $2, $3)",
    [channel, body, sign(body, retiredSecret)],
  )
  await prepare(channel)
  const row = await waitForCheck(it.sql, await requestCheck(it.sql, { channel }))
  return { channel, row, results: resultsOf(row) }
}

const passed = Object.fromEntries(pointIdSchema.options.map((id) => [id, "passed"]))
const inNoRotation = { ...passed, rotation: "skipped" }

test("a receiver with the handler of @sitewire/signing passes every point", async () => {
  const receiver = await startLibraryReceiver([secret])
  onTestFinished(() => void receiver.close())
  const { channel, row, results } = await certify(receiver.url)
  expect(results).toEqual(inNoRotation)
  expect(row.report?.result).toBe("passed")
  const [stored] = await it.sql("select last_certification from channel where id = $1", [channel])
  expect(stored?.last_certification).toMatchObject({ id: row.id, address: receiver.url, result: "passed" })
})

test("the requests are what their points say: marked, fictional, with ids of their own", async () => {
  const receiver = await startReceiver(verifying([secret]))
  onTestFinished(() => receiver.close())
  await certify(receiver.url)
  const [genuine, repeated, ...others] = receiver.received
  if (!genuine || !repeated) throw new Error("there were no requests")
  expect(Object.keys(JSON.parse(genuine.body.toString()))).toEqual([
    "event",
    "channel",
    "reference",
    "site_url",
    "console_url",
    "name",
    "email",
    "created_at",
  ])
  expect(genuine.body.toString()).toMatch(
    /"reference":"sitewire-test".*\.sitewire\.example\/.*"test@example\.invalid"/,
  )
  expect(repeated.body.equals(genuine.body)).toBe(true)
  expect(repeated.headers).toMatchObject({
    "x-sitewire-delivery": genuine.headers["x-sitewire-delivery"],
    "x-sitewire-attempt": "2",
  })
  for (const { headers } of receiver.received) expect(headers["x-sitewire-test"]).toBe("true")
  const ids = others.map(({ headers }) => headers["x-sitewire-delivery"])
  expect(new Set(ids).size).toBe(others.length)
  expect(others).toHaveLength(4 + 20)
  expect(others.filter((request) => isSigned(request, [secret]))).toHaveLength(20)
})

const allSkipped = Object.fromEntries(pointIdSchema.options.map((id) => [id, "skipped"]))

const expected: Record<FaultyReceiverName, Record<string, string>> = {
  "accepts everything": {
    "forged-signature": "failed",
    "missing-signature": "failed",
    "re-encoded-body": "failed",
    "previous-secret": "failed",
  },
  "accepts a missing signature": { "missing-signature": "failed" },
  "verifies only that a signature is there": {
    "forged-signature": "failed",
    "re-encoded-body": "failed",
    "previous-secret": "failed",
  },
  "verifies a body that it serialised again": { "re-encoded-body": "failed" },
  "trusts the header X-Sitewire-Test": {
    "forged-signature": "failed",
    "missing-signature": "failed",
    "re-encoded-body": "failed",
    "previous-secret": "failed",
  },
  "rejects repetitions": { repeated: "failed" },
  "fails in a burst": { burst: "failed" },
  redirects: {
    ...allSkipped,
    genuine: "failed",
    "response-time": "passed",
  },
  "has another secret": {
    ...allSkipped,
    genuine: "failed",
    "response-time": "passed",
  },
  "responds 500 to a forged signature": {
    "forged-signature": "warning",
    "missing-signature": "warning",
    "re-encoded-body": "warning",
    "previous-secret": "warning",
  },
  "quotes the request": {},
}

describe("a faulty receiver has the right findings, and its report reveals nothing", () => {
  const certified = new Map<FaultyReceiverName, Awaited<ReturnType<typeof certify>>>()
  const names = Object.keys(faultyReceivers) as FaultyReceiverName[]

  // All at the same time.
  beforeAll(async () => {
    const receivers = await Promise.all(names.map((name) => startFaulty(name, secret)))
    await Promise.all(
      names.map(async (name, at) => certified.set(name, await certify(receivers[at]?.url ?? ""))),
    )
    await Promise.all(receivers.map((receiver) => receiver.close()))
  })

  test.each(names)("a receiver that %s", (name) => {
    const { row, results } = certified.get(name) ?? {}
    expect(results).toEqual({ ...inNoRotation, ...expected[name] })
    const fails = Object.values(results ?? {}).includes("failed")
    expect(row?.report?.result).toBe(fails ? "failed" : "passed")
    const text = JSON.stringify(row?.report)
    for (const revealed of [secret, retiredSecret, "token="]) expect(text).not.toContain(revealed)
    expect(text).not.toMatch(/[0-9a-f]{64}/)
  })
})

test("a receiver that still accepts the retired secret fails", async () => {
  const receiver = await startReceiver(verifying([secret, retiredSecret]))
  onTestFinished(() => receiver.close())
  const { results } = await certify(receiver.url)
  expect(results).toEqual({ ...inNoRotation, "previous-secret": "failed" })
})

test("during a rotation, a receiver must accept both secrets, and a missing staged one is a warning", async () => {
  const ready = await startReceiver(verifying([secret, stagedSecret]))
  const late = await startReceiver(verifying([secret]))
  const early = await startReceiver(verifying([stagedSecret]))
  onTestFinished(async () => {
    for (const receiver of [ready, late, early]) await receiver.close()
  })
  const stage = (channel: string) => it.stage(channel, stagedSecret)
  const [first, second, third] = await Promise.all(
    [ready, late, early].map(async ({ url }) => (await certify(url, stage)).results),
  )
  expect(first).toEqual(passed)
  expect(second).toEqual({ ...passed, rotation: "warning" })
  expect(third).toMatchObject({ genuine: "failed", rotation: "failed" })
})

test("a retiring secret may be accepted or rejected", async () => {
  const both = await startReceiver(verifying([secret, stagedSecret]))
  const active = await startReceiver(verifying([secret]))
  onTestFinished(async () => {
    for (const receiver of [both, active]) await receiver.close()
  })
  const retire = async (channel: string) => {
    await it.stage(channel, stagedSecret)
    await it.sql("update channel set other_secret_state = 'retiring' where id = $1", [channel])
  }
  const findings = await Promise.all(
    [both, active].map(async ({ url }) => (await certify(url, retire)).results),
  )
  expect(findings).toEqual([passed, passed])
})

test("with Standard Webhooks headers, forged deliveries have forged ones", async () => {
  const receiver = await startReceiver(verifying([secret]))
  onTestFinished(() => receiver.close())
  await certify(receiver.url)
  const [genuine, , forged, unsigned] = receiver.received.map(({ headers }) => headers["webhook-signature"])
  expect(genuine).toMatch(/^v1,/)
  expect(forged).toMatch(/^v1,/)
  expect(unsigned).toBeUndefined()
})

test("a burst is not larger than the channel's maximum rate", async () => {
  const receiver = await startReceiver(verifying([secret]))
  onTestFinished(() => receiver.close())
  const { row } = await certify(receiver.url, (channel) =>
    it.sql("update channel set max_per_second = 3 where id = $1", [channel]),
  )
  expect(row.report?.points.find(({ id }) => id === "burst")?.received).toHaveLength(3)
})

test("a private address is not called", async () => {
  const { row, results } = await certify("http://10.1.2.3/")
  expect(results).toMatchObject({ genuine: "failed", "forged-signature": "skipped" })
  expect(row.report?.points[0]?.received).toMatchObject([{ status: null, error: "blocked-address" }])
})

test("if the secrets change meanwhile, the certification fails and says why", async () => {
  let changed = false
  const receiver = await startReceiver((_, response) => {
    const change = changed ? Promise.resolve() : it.stage(`channel-${channels}`, stagedSecret)
    changed = true
    void change.then(() => response.writeHead(204).end())
  })
  onTestFinished(() => receiver.close())
  const { row } = await certify(receiver.url)
  expect(row).toMatchObject({ state: "failed", error: expect.stringContaining("secrets were changed") })
})

test("a test is one attempt, and is not stored as a delivery", async () => {
  const receiver = await startReceiver((_, response) => response.writeHead(503).end("not today"))
  onTestFinished(() => receiver.close())
  await it.channel("tested", receiver.url)
  await it.pause("tested")
  const row = await waitForCheck(it.sql, await requestCheck(it.sql, { channel: "tested", kind: "test" }))
  expect(row).toMatchObject({
    state: "done",
    report: { attempt: { number: 1, status: 503, error: "status", response_excerpt: "not today" } },
  })
  expect(receiver.received).toHaveLength(1)
  expect(isSigned(receiver.received[0] as (typeof receiver.received)[0], [secret])).toBe(true)
  expect(await it.sql("select 1 from delivery")).toEqual([])
})

test("a check that nobody claimed in time is not run", async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  await it.channel("late", receiver.url)
  await it.sql(
    `insert into receiver_check (id, channel_id, kind, address, requested_by, created_at)
     select 'late-' || kind, 'late', kind::receiver_check_kind, $1, 'test', now() - interval '11 minutes'
       from unnest(array['test', 'certification']) as kind`,
    [receiver.url],
  )
  for (const id of ["late-test", "late-certification"])
    expect(await waitForCheck(it.sql, id)).toMatchObject({ state: "failed", report: null })
  expect(receiver.received).toEqual([])
})

test("the log contains no secret, signature or address", () => {
  const output = dispatcher.output()
  expect(output).toContain("receiver checked")
  for (const revealed of [secret, retiredSecret, stagedSecret, "example.invalid", "10.1.2.3"])
    expect(output).not.toContain(revealed)
})
