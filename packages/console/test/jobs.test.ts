import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { begin, end, endErasure, read } from "./fixtures/jobs.ts"
import { startConsoles } from "./fixtures/startConsoles.ts"

const email = "Owner.Of@Shop.example"

test("an ambiguous or unlimited job is rejected with the field's name, without repeating a value", async () => {
  await using it = await startConsoles()
  const console = await it.console()
  const reason = "r"
  for (const [kind, body] of Object.entries({
    resend: { filter: {}, reason },
    replay: {
      filter: { rejected_after: "2030-01-02T00:00:00Z", rejected_before: "2030-01-01T00:00:00Z" },
      reason,
    },
    erasure: { email, site_url: "https://shop-1.example", reason },
  })) {
    const rejected = await it.call(console, "POST", `/v1/jobs/${kind}`, body)
    expect(rejected.status, kind).toBe(400)
    expect(rejected.text).not.toContain(email)
  }
  const everything = await it.call(console, "POST", "/v1/jobs/replay", { filter: {}, reason, dry_run: true })
  expect(everything).toMatchObject({
    status: 400,
    text: expect.stringContaining("must contain reason, rejected_after or rejected_before"),
  })
  const misspelt = { filter: { channel: "nope" }, reason, dry_run: true }
  expect(await it.call(console, "POST", "/v1/jobs/resend", misspelt)).toMatchObject({
    status: 404,
    text: expect.stringContaining('no channel \\"nope\\"'),
  })
  for (const body of [
    { reason },
    { email: "no address", reason },
    { email, reason: `for ${email}` },
    { email },
  ]) {
    expect((await it.call(console, "POST", "/v1/jobs/erasure", body)).status).toBe(400)
  }
  expect(await it.sql("select * from job")).toEqual([])
  expect(console.output()).not.toContain(email)
})

test("while Kafka is unavailable resends and erasures run, and a replay waits until it has recovered", async () => {
  await using it = await startConsoles()
  const offline = await it.console({ KAFKA_BROKERS: "127.0.0.1:1" })
  const [first = ""] = await it.deliveries(10)
  const replay = await begin(it, offline, "replay", { filter: { reason: "unknown" }, reason: "r" })
  await waitUntil("the replay to wait", () => waits(offline.output(), replay.id))
  const { status } = await it.call(offline, "POST", `/v1/deliveries/${first}/resend`)
  expect(status).toBe(202)
  const request = { filter: { state: "dead" }, reason: "r", per_second: 100 }
  const { id } = await begin(it, offline, "resend", request)
  expect(await end(it, offline, id)).toMatchObject({ state: "done", counts: { resent: 9 } })
  expect(await it.sql("select from delivery where deferred_reason = 'resend'")).toHaveLength(10)
  const erasure = await begin(it, offline, "erasure", { email: "nobody@shop.example", reason: "r" })
  expect((await endErasure(it, offline, erasure.id)).state).toBe("done")
  expect((await fetch(`${offline.addresses.ops}/readyz`)).status).toBe(200)
  expect((await read(it, offline, replay.id)).state).toBe("running")
  const online = await it.console()
  expect((await end(it, online, replay.id)).state).toBe("done")
})

const waits = (output: string, job: string) =>
  output.split("\n").some((line) => line.includes(job) && line.includes("a job waits for Kafka"))
