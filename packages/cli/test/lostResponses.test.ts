import type { ServerResponse } from "node:http"
import { closedPort } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { createClient } from "../src/api/client.ts"
import { type Received, startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"
import { runningJob } from "./fixtures/runningJob.ts"

const job = JSON.stringify(runningJob)
const resend = ["delivery", "resend-all", "--channel", "acme", "--reason", "r"]
const update = ["channel", "update", "acme", "--address", "https://partner.example/"]
const pause = ["channel", "pause", "acme"]
const unknownOutcome = /may have taken effect.* sitewire audit list --after 10m/

type Respond = (response: ServerResponse, request: Received) => void
const lose: Respond = (response) => response.destroy()
const succeed: Respond = (response) => response.end(job)
const reject =
  (status: number, body: object | string): Respond =>
  (response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify({ status, ...body }))

const unavailable = {
  type: "/problems/database-unavailable",
  code: "database-unavailable",
  title: "Database unavailable",
}
const conflict = { type: "/problems/conflict", code: "conflict", title: "Conflict" }

/** An API that treats its first request as the first function does, and so on; the last one treats the rest. */
async function startApi(...responds: [Respond, ...Respond[]]) {
  const api = await startReceiver((request, response, before) =>
    responds[Math.min(before, responds.length - 1)]?.(response, request),
  )
  onTestFinished(() => api.close())
  const keys = () => api.received.map(({ headers }) => headers["idempotency-key"])
  return { ...api, keys, env: { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" } }
}

test.each<[string, Respond]>([
  ["before the response", lose],
  [
    "within the response",
    (response) => response.writeHead(200).write(job.slice(0, 9), () => response.destroy()),
  ],
  ["behind a proxy", reject(502, "<html>Bad Gateway</html>")],
])("a POST whose connection is lost %s is repeated once, with the same Idempotency-Key", async (_, first) => {
  const { env, received, keys } = await startApi(first, succeed)
  expect(await runCommand([...resend, "--yes"], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(runningJob.id),
  })
  expect(received.map(({ path, body }) => [path, String(body)])).toEqual(
    Array(2).fill([received[0]?.path, String(received[0]?.body)]),
  )
  expect(keys()[0]).toMatch(/^[\w-]{36}$/)
  expect(keys()[1]).toBe(keys()[0])
})

test("a POST that is not responded to in time is repeated, too", async () => {
  const { url: api, received, keys } = await startApi(() => {}, succeed)
  const client = createClient({ api, key: "swk_k", timeoutMs: 300 })
  const filter = { channel: "acme" }
  expect(await client.createResendJob({ body: { filter, reason: "r" } })).toMatchObject({ id: runningJob.id })
  expect(received).toHaveLength(2)
  expect(keys()[1]).toBe(keys()[0])
})

test("each POST has a key of its own", async () => {
  const { env, keys } = await startApi(succeed)
  for (let i = 0; i < 2; i++) await runCommand([...resend, "--yes"], { env })
  expect(new Set(keys()).size).toBe(2)
})

test.each<[string, Respond, string]>([
  ["is lost", lose, "was closed"],
  [
    "is rejected before the API looks for the first one",
    reject(503, unavailable),
    "the API responded with status 503",
  ],
  ["does not pass a proxy", reject(504, "<html>"), "a proxy responded with status 504"],
])("if the repetition %s, the error says how to find out what took effect", async (_, second, why) => {
  const { env, received } = await startApi(lose, second)
  const { code, stdout, stderr } = await runCommand([...resend, "--yes"], { env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(unknownOutcome)
  expect(stderr).toContain(why)
  expect(stderr).not.toContain("Check the address")
  expect(received).toHaveLength(2)
})

test("if the API rejects the repetition, the first request had no effect, and only the rejection is reported", async () => {
  const { env } = await startApi(lose, reject(409, conflict))
  const { code, stderr } = await runCommand([...resend, "--yes"], { env })
  expect(code).toBe(1)
  expect(stderr).toContain("Conflict (409)")
  expect(stderr).not.toMatch(unknownOutcome)
})

test.each([
  ["PATCH", update],
  ["DELETE", ["channel", "delete", "acme", "--yes"]],
])("a lost %s is not repeated, and may have taken effect", async (method, args) => {
  const { env, received } = await startApi(lose)
  const { code, stderr } = await runCommand(args, { env })
  expect(code).toBe(1)
  expect(stderr).toMatch(unknownOutcome)
  expect(received).toEqual([expect.objectContaining({ method })])
  expect(received[0]?.headers).not.toHaveProperty("idempotency-key")
})

test.each([
  ["GET", ["channel", "show", "acme"]],
  ["dry run", [...resend, "--dry-run"]],
])("a lost %s changes nothing, so the API cannot be reached", async (_, args) => {
  const { env, received } = await startApi(lose)
  const { code, stderr } = await runCommand(args, { env })
  expect(code).toBe(3)
  expect(stderr).toContain("cannot be reached: the connection was closed")
  expect(stderr).toContain("Check the address")
  expect(stderr).not.toMatch(unknownOutcome)
  expect(received).toHaveLength(1)
})

test.each([[pause], [update]])("a request that was never sent had no effect: %j", async (args) => {
  const env = { SITEWIRE_API: `http://127.0.0.1:${await closedPort()}`, SITEWIRE_API_KEY: "swk_k" }
  const { code, stderr } = await runCommand(args, { env })
  expect(code).toBe(3)
  expect(stderr).toContain("cannot be reached: the connection was refused")
  expect(stderr).not.toMatch(unknownOutcome)
})
