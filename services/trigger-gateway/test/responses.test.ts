import { newConnectorToken } from "@sitewire/contracts"
import { openPool, type Pool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, freshTopics, kafkaBrokers } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, correlationOf, openSocket, sendBytes } from "./fixtures/call.ts"
import { addConnection, pathOf, replaceToken } from "./fixtures/connections.ts"
import { expectOnTopic } from "./fixtures/readTriggers.ts"
import { runGateway, type TestGateway } from "./fixtures/runGateway.ts"

let database: FreshDatabase
let topics: Awaited<ReturnType<typeof freshTopics>>
let pool: Pool
let running: TestGateway

beforeAll(async () => {
  database = await freshDatabase()
  topics = await freshTopics()
  pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  running = await runGateway({ databaseUrl: database.url, topic: topics.names.connectorTriggered })
})

afterAll(async () => {
  await running.close()
  await pool.close()
  await database.drop()
})

const url = (path: string) => running.gateway + path
const request = (line: string, rest = "") => `${line} HTTP/1.1\r\nHost: shop.example\r\n${rest}`
const closing = "Connection: close\r\n\r\n"

test("a trigger gets 202, with and without the final slash, and is on the topic with its connection as the key", async () => {
  const { path } = await addConnection(pool.sql, "slashes")
  const before = Date.now()
  for (const each of [path, path.slice(0, -1)]) {
    const response = await call(url(each))
    expect(response).toMatchObject({ status: 202, text: "" })
    const correlation = correlationOf(response)
    const records = await expectOnTopic(kafkaBrokers(), topics.names.connectorTriggered, [correlation])
    const record = records.find((one) => one.correlation === correlation)
    expect(record).toMatchObject({ key: "slashes", connection: "slashes", count: 1 })
    expect(Date.parse(record?.first_at ?? "")).toBeGreaterThanOrEqual(before)
    expect(running.output()).toContain(correlation)
  }
})

test("a burst for one connection becomes a few records that count every trigger", async () => {
  const { path } = await addConnection(pool.sql, "burst")
  const results = await Promise.all(Array.from({ length: 100 }, () => call(url(path))))
  const accepted = results.map((response) => {
    expect(response.status).toBe(202)
    return correlationOf(response)
  })
  const records = await expectOnTopic(kafkaBrokers(), topics.names.connectorTriggered, accepted)
  const own = records.filter(({ connection }) => connection === "burst")
  expect(own.length).toBeLessThan(100)
  expect(own.reduce((sum, { count }) => sum + count, 0)).toBe(100)
  for (const { first_at, last_at } of own) expect(first_at <= last_at).toBe(true)
})

test("every URL that is not a valid trigger URL gets the same 404, byte for byte", async () => {
  const { id, path: replaced, token } = await addConnection(pool.sql, "replaced")
  await replaceToken(pool.sql, id)
  const other = await addConnection(pool.sql, "other")
  const flipped = `${token.slice(0, -1)}${token.endsWith("w") ? "g" : "w"}`
  const paths = [
    replaced,
    pathOf("nobody", newConnectorToken()),
    pathOf(id, other.token),
    pathOf(id, newConnectorToken()),
    pathOf(id, flipped),
    pathOf(id, token.toLowerCase()),
    pathOf(id, "x"),
    pathOf("a".repeat(65), token),
    pathOf("a".repeat(4_000), token),
    pathOf("%00", token),
    pathOf("%E0%A4%A", token),
    pathOf(id, "%E0%A4%A"),
    pathOf(id, "%ff"),
    pathOf("..", token),
    pathOf(id, `${token}%2F`),
    `${replaced}/`,
    `/connectors/hook/${id}`,
    "/CONNECTORS/HOOK/x/y/",
    "/connectors",
    "/",
    "//",
    "/%",
    `${replaced}?why`,
    "*",
    "http://shop.example/connectors/hook/x/y/",
  ]
  const bodies = new Set<string>()
  for (const path of paths) {
    const { text } = await sendBytes(running.gateway, request(`POST ${path}`, closing))
    bodies.add(
      text.replace(/^Date: .*$/m, "Date: now").replace(/^x-request-id: [\da-f-]{36}$/m, "x-request-id: any"),
    )
  }
  const [only = "", ...others] = bodies
  expect(others).toEqual([])
  expect(only).toMatch(/^HTTP\/1\.1 404 Not Found\r\ncontent-type: application\/problem\+json\r\n/)
  expect(JSON.parse(only.split("\r\n\r\n")[1] ?? "")).toMatchObject({ type: "about:blank", status: 404 })
})

test("every response has an X-Request-Id of its own", async () => {
  const { path } = await addConnection(pool.sql, "request-ids")
  const cases: [number, string][] = [
    [202, request(`POST ${path}`, closing)],
    [202, request(`POST ${path}`, `Expect: something\r\n${closing}`)],
    [404, request(`POST ${pathOf("nobody", newConnectorToken())}`, closing)],
    [404, request("POST /elsewhere", closing)],
    [404, request("POST /elsewhere", closing)],
    [405, request(`GET ${path}`, closing)],
    [413, request(`POST ${path}`, `Content-Length: 1025\r\n\r\n${"x".repeat(1_025)}`)],
    [413, request(`POST ${path}`, `Transfer-Encoding: chunked\r\n\r\n1;a=${"x".repeat(20_000)}\r\n`)],
    [400, `POST ${path} HTTP/1.1\r\n${closing}`],
    [400, `POST ${path} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n`],
    [400, "this is not HTTP\r\n\r\n"],
    [431, request(`POST ${path}`, `X: ${"x".repeat(9_000)}\r\n\r\n`)],
  ]
  const ids = new Set<string>()
  for (const [status, bytes] of cases) {
    const { text } = await sendBytes(running.gateway, bytes)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    const sent = [...text.matchAll(/^x-request-id: ([\da-f-]{36})\r$/gim)].map(([, id = ""]) => id)
    expect(sent).toHaveLength(1)
    ids.add(sent[0] ?? "")
  }
  expect(ids.size).toBe(cases.length)
})

test("another method than POST gets 405 with an Allow header, whether the trigger URL is valid or not", async () => {
  const { path } = await addConnection(pool.sql, "methods")
  for (const each of [path, path.slice(0, -1), pathOf("nobody", "nothing")]) {
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const response = await call(url(each), { method })
      expect(response).toMatchObject({ status: 405, headers: { allow: "POST" } })
    }
  }
  expect(await call(url("/other"), { method: "GET" })).toMatchObject({ status: 404 })
})

test("a trigger URL that somebody opens in a browser is not stored, framed or told to other sites", async () => {
  expect(await call(url(pathOf("nobody", "nothing")), { method: "GET" })).toMatchObject({
    headers: {
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    },
  })
})

test("a body of 1 KiB is ignored, also when it is chunked", async () => {
  const { path } = await addConnection(pool.sql, "bodies")
  expect(await call(url(path), { body: "x".repeat(1_024) })).toMatchObject({ status: 202 })
  const chunked = `Transfer-Encoding: chunked\r\n${closing}200\r\n${"x".repeat(512)}\r\n200\r\n${"y".repeat(512)}\r\n0\r\n\r\n`
  const { text } = await sendBytes(running.gateway, request(`POST ${path}`, chunked))
  expect(text).toMatch(/^HTTP\/1\.1 202 /)
})

test("a larger body gets 413 and the connection closes, whether it has a length, is chunked, or never ends", async () => {
  const { path } = await addConnection(pool.sql, "large")
  const chunk = `401\r\n${"x".repeat(1_025)}\r\n`
  const bodies = [
    `Content-Length: 1025\r\n\r\n${"x".repeat(1_025)}`,
    "Content-Length: 9999999999\r\n\r\n",
    `Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n${chunk}`,
    `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(200)}`,
  ]
  // A 413 does not reveal whether the token is valid.
  const requests = [path, pathOf("nobody", newConnectorToken())].flatMap((each) =>
    bodies.map((body) => request(`POST ${each}`, body)),
  )
  for (const { text, ...rest } of await Promise.all(requests.map((one) => sendBytes(running.gateway, one)))) {
    expect(text).toMatch(/^HTTP\/1\.1 413 .*connection: close\r\n.*"status":413/is)
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(rest).toEqual({ closed: true })
  }
})

test("a wrong URL or method is rejected before the body arrives: a small body is then discarded, a larger or chunked one closes the connection", async () => {
  const { path } = await addConnection(pool.sql, "early")
  const lines = [
    [`POST ${pathOf("nobody", "nothing")}`, 404],
    ["POST /elsewhere", 404],
    [`PUT ${path}`, 405],
  ] as const
  async function check([line, status]: (typeof lines)[number]): Promise<void> {
    const socket = openSocket(running.gateway)
    socket.write(request(line, "Content-Length: 9\r\n\r\nx"))
    expect(await socket.response()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    // What is left of the body is no request.
    socket.write(`${"x".repeat(8)}${request(`POST ${path}`, closing)}`)
    expect(await socket.response()).toMatch(/^HTTP\/1\.1 202 /)
    const large = ["Content-Length: 1025\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"].map((body) =>
      sendBytes(running.gateway, request(line, body)),
    )
    for (const { text, ...rest } of await Promise.all(large)) {
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*connection: close\r\n`, "is"))
      expect({ ...rest, responses: text.match(/HTTP\/1\.1/g)?.length }).toEqual({
        closed: true,
        responses: 1,
      })
    }
  }
  await Promise.all(lines.map(check))
})

test("a client that reads its response only after it has sent a body of 1 MB gets it", async () => {
  const { path } = await addConnection(pool.sql, "megabyte")
  for (const [line, status] of [
    [`POST ${path}`, 413],
    ["POST /elsewhere", 404],
    [`PUT ${path}`, 405],
  ] as const) {
    const socket = openSocket(running.gateway)
    socket.write(request(line, `Content-Length: 1000000\r\n\r\n${"x".repeat(2_000)}`))
    expect(await socket.response()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    // A connection that is closed already would be reset, and what the client has not read would be lost.
    socket.write("x".repeat(998_000))
    await socket.closed()
  }
})

test("a trigger is accepted only when its body has arrived", async () => {
  const { path } = await addConnection(pool.sql, "late-body")
  const accepted = () => running.metric('sitewire_triggers_total{outcome="accepted"')
  const before = await accepted()
  const socket = openSocket(running.gateway)
  socket.write(request(`POST ${path}`, "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nx"))
  expect(await socket.response()).toMatch(/^HTTP\/1\.1 100 /)
  expect(await call(url(path))).toMatchObject({ status: 202 })
  expect(await accepted()).toBe(before + 1)
  socket.write(`y${request(`POST ${path}`, closing)}`)
  expect(await socket.response()).toMatch(/^HTTP\/1\.1 202 /)
})

test("a request that is not HTTP, or has too large headers, is rejected and the connection closes", async () => {
  const garbage = await sendBytes(running.gateway, "\x16\x03\x01 this is not HTTP\r\n\r\n")
  expect(garbage).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 400 /) })
  const flood = await sendBytes(running.gateway, request("POST /", `X: ${"x".repeat(9_000)}\r\n\r\n`))
  expect(flood).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 431 /) })
  const smuggled = `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`
  const both = await sendBytes(running.gateway, request("POST /", smuggled))
  expect(both).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 400 /) })
})

test("the metrics count every outcome and contain no trigger URL", async () => {
  const { path, token } = await addConnection(pool.sql, "measured")
  await call(url(path))
  const text = await running.metrics()
  for (const outcome of ["accepted", "not_found", "too_large", "method"]) {
    expect(text).toMatch(new RegExp(`sitewire_triggers_total\\{outcome="${outcome}",[^}]*\\} [1-9]`))
  }
  expect(text).toMatch(/sitewire_trigger_response_seconds_count\S* [1-9]/)
  expect(text).toMatch(/sitewire_triggers_waiting\S* 0/)
  expect(text).not.toContain(token)
  expect(text).not.toContain("swt_")
})

test("a trigger URL may be sent as an absolute URL; a malformed URL is rejected and not printed", async () => {
  const { path } = await addConnection(pool.sql, "whole")
  const statusOf = async (target: string) => {
    const { text } = await sendBytes(running.gateway, request(`POST ${target}`, closing))
    return Number(text.split(" ")[1])
  }
  expect(await statusOf(`http://shop.example:80${path}`)).toBe(202)
  expect(await statusOf(`HTTP://${path}`)).toBe(202)
  // The origin does not matter. Node would print these URLs in a warning.
  expect(await statusOf(`http://host:abc${path}`)).toBe(202)
  expect(await statusOf(`http://[${path}`)).toBe(202)
  expect(await statusOf(`http:${path}`)).toBe(400)
  expect(await statusOf(`host:abc${path}`)).toBe(400)
  expect(await statusOf(`//host:abc${path}#`)).toBe(404)
  expect(await statusOf(`//user@host:abc${path}#`)).toBe(404)
  expect(await statusOf(`/\\user@host:abc${path}#`)).toBe(404)
  expect(await statusOf(`http://shop.example//user@host:abc${path}#`)).toBe(404)
  expect(await statusOf(`${path}#`)).toBe(202)
})

test("the output of the process contains no token and no path", () => {
  expect(running.output()).toContain('"msg":"triggers published"')
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
})
