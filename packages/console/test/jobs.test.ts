import { connectKafka } from "@sitewire/kafka"
import { silentLog, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startJobs } from "./fixtures/jobs.ts"

const email = "Owner.Of@Shop.example"

test("an ambiguous or unlimited job is rejected with the field's name, without repeating a value", async () => {
  await using it = await startJobs()
  const reason = "r"
  for (const [kind, body] of Object.entries({
    resend: { filter: {}, reason },
    replay: {
      filter: { rejected_after: "2030-01-02T00:00:00Z", rejected_before: "2030-01-01T00:00:00Z" },
      reason,
    },
    erasure: { email, site_url: "https://shop-1.example", reason },
  })) {
    const rejected = await it.call("POST", `/v1/jobs/${kind}`, { body })
    expect(rejected.status, kind).toBe(400)
    expect(rejected.text).not.toContain(email)
  }
  const everything = await it.call("POST", "/v1/jobs/replay", { body: { filter: {}, reason, dry_run: true } })
  expect(everything).toMatchObject({
    status: 400,
    text: expect.stringContaining("must contain reason, rejected_after or rejected_before"),
  })
  const misspelt = { filter: { channel: "nope" }, reason, dry_run: true }
  expect(await it.call("POST", "/v1/jobs/resend", { body: misspelt })).toMatchObject({
    status: 404,
    text: expect.stringContaining('no channel \\"nope\\"'),
  })
  for (const body of [
    { reason },
    { email: "no address", reason },
    { email, reason: `for ${email}` },
    { email },
  ]) {
    expect((await it.call("POST", "/v1/jobs/erasure", { body })).status).toBe(400)
  }
  expect(await it.sql("select * from job")).toEqual([])
  expect(it.log.join("")).not.toContain(email)
})

test("while Kafka is unavailable resends and erasures run, and a replay waits until it has recovered", async () => {
  const kafka = connectKafka({ brokers: ["127.0.0.1:1"], clientId: "test", log: silentLog })
  await using it = await startJobs({ kafka })
  const [first = ""] = await it.deliveries(10)
  const replay = await it.begin("replay", { filter: { reason: "unknown" }, reason: "r" })
  await waitUntil("the replay to wait", () => waits(it.log.join(""), replay.id))
  const { status } = await it.call("POST", `/v1/deliveries/${first}/resend`)
  expect(status).toBe(202)
  const request = { filter: { state: "dead" }, reason: "r", per_second: 100 }
  const { id } = await it.begin("resend", request)
  expect(await it.end(id)).toMatchObject({ state: "done", counts: { resent: 9 } })
  expect(await it.sql("select from waiting_delivery where deferred_reason = 'resend'")).toHaveLength(10)
  const erasure = await it.begin("erasure", { email: "nobody@shop.example", reason: "r" })
  expect((await it.end(erasure.id)).state).toBe("done")
  expect((await it.read(replay.id)).state).toBe("running")
  await it.closeRunners()
  await it.run()
  expect((await it.end(replay.id)).state).toBe("done")
})

test("a job whose step never ends is logged, and the others go on", async () => {
  const never = () => new Promise<never>(() => {})
  const reads = { end: never, read: never, offsetsAt: never, committed: never, openTransactions: never }
  const events = { topic: "t", ...reads }
  await using it = await startJobs({ sources: { events }, stepDeadlineMs: 1_000 })
  await it.deliveries(3)
  const stuck = await it.begin("reconcile", { created_after: new Date(Date.now() - 60_000).toISOString() })
  const resend = await it.complete("resend", { filter: { state: "dead" }, reason: "r" })
  expect(resend).toMatchObject({ state: "done", counts: { resent: 3 } })
  await waitUntil("the line", () => logged(it.log.join(""), stuck.id, "has not ended within 1 s"))
  expect((await it.read(stuck.id)).state).toBe("running")
})

const waits = (output: string, job: string) => logged(output, job, "a job waits for Kafka")

const logged = (output: string, job: string, text: string) =>
  output.split("\n").some((line) => line.includes(job) && line.includes(text))
