import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const post = (path: string, options = {}) => console.call("POST", `/v1/channels/${path}`, options)

const channel = (id: string) =>
  console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/hook" } })

// The tests of the CLI run a dispatcher.
test("without a dispatcher, a test is 503 after 5 seconds, is never sent, and a repetition gets the same response", async () => {
  await channel("alone")
  const headers = { "idempotency-key": "one" }
  const startedAt = performance.now()
  // An address that is not saved yet.
  const body = { address: "https://new.example/" }
  const waiting = post("alone/test", { headers, body })
  await waitUntil("the test", async () => (await console.prisma.receiverCheck.count()) > 0)
  expect(await post("alone/test")).toMatchObject({ status: 409, json: { code: "check-running" } })
  const first = await waiting
  expect(performance.now() - startedAt).toBeGreaterThan(5_000)
  expect(first).toMatchObject({ status: 503, json: { code: "test-not-sent" } })
  // Partners get it, too.
  expect(first.text).not.toContain("dispatcher")
  const rows = await console.prisma.receiverCheck.findMany({ where: { channel_id: "alone" } })
  expect(rows).toMatchObject([{ kind: "test", state: "failed", ...body, finished_at: expect.any(Date) }])
  const again = await post("alone/test", { headers, body })
  expect({ ...again.json, request_id: "" }).toEqual({ ...first.json, request_id: "" })
  expect(await console.prisma.receiverCheck.count()).toBe(1)
})

test("the address of a new channel is tested by operators only, one at a time, and under an id that is free", async () => {
  await channel("taken")
  const body = { address: "https://new.example/", new_channel: true }
  const key = await console.keyWith("channel:later")
  for (const options of [{ body: { address: body.address } }, { key, body }])
    expect(await post("later/test", options)).toMatchObject({ status: 404, json: { code: "not-found" } })
  expect(await post("taken/test", { body })).toMatchObject({ status: 409, json: { code: "id-taken" } })
  const unallowed = { body: { ...body, address: "https://127.0.0.1/" } }
  expect((await post("later/test", unallowed)).status).toBe(400)
  const first = post("later/test", { body })
  const ofNew = { where: { channel_id: null } }
  await waitUntil("the test", async () => (await console.prisma.receiverCheck.count(ofNew)) > 0)
  expect(await post("other/test", { body })).toMatchObject({ status: 409, json: { code: "check-running" } })
  await console.prisma.receiverCheck.updateMany({
    ...ofNew,
    data: { state: "failed", finished_at: new Date() },
  })
  await first
})

test("a partner's key tests no other address, and resends at once only what is dead, by one job at a time", async () => {
  await channel("own")
  const key = await console.keyWith("channel:own")
  const other = { key, body: { address: "https://other.example/" } }
  expect(await post("own/test", other)).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  const resend = (filter: object) =>
    console.call("POST", "/v1/jobs/resend", { key, body: { filter, reason: "r" } })
  for (const filter of [{ state: "dead" }, { channel: "own" }])
    expect((await resend(filter)).status).toBe(400)
  const dead = { channel: "own", state: "dead" }
  expect((await resend(dead)).status).toBe(202)
  expect(await resend(dead)).toMatchObject({ status: 409, json: { code: "job-running" } })
  await console.pool.sql("update job set state = 'done'")
  expect((await resend(dead)).status).toBe(202)
})

test("there is no test of a secret without a second secret", async () => {
  await channel("steady")
  expect(await post("steady/secret/test")).toMatchObject({ status: 409, json: { code: "rotation-conflict" } })
})

test("a secret whose sealing key is missing can be retired nevertheless", async () => {
  await channel("unopened")
  await post("unopened/secret/stage")
  await console.pool.sql("update channel set other_secret_sealed = '\\x01' where id = 'unopened'")
  expect((await post("unopened/secret/retire")).status).toBe(200)
})
