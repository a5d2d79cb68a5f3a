import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { openApiDocument } from "../src/api/openapi/openApiDocument.ts"
import { severableProxy } from "./fixtures/severableProxy.ts"
import { startConsole } from "./fixtures/startConsole.ts"

test("log lines and metrics contain the route's pattern, the status and the request id, and no path", async () => {
  const console = await startConsole()
  await console.call("GET", "/v1/channels/some-channel", { headers: { "x-request-id": "caller-chosen-1" } })
  const odd = await console.call("GET", "/v1/swt_pasted", { headers: { "x-request-id": "a\tb" } })
  expect(odd.headers.get("x-request-id")).toMatch(/^req_\w+$/)
  const requests = () => console.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request")
  await waitUntil("both lines", () => requests().length === 2)
  const lines = requests()
  expect(lines[0]).toMatchObject({
    method: "GET",
    route: "/v1/channels/{id}",
    status: 404,
    ms: expect.any(Number),
    requestId: "caller-chosen-1",
  })
  expect(lines[1]).toMatchObject({ route: "none", status: 404 })
  const metrics = await console.metrics.metrics()
  expect(metrics).toMatch(
    /sitewire_console_requests_total\{method="GET",route="\/v1\/channels\/\{id\}",status="404",service="console"\} 1/,
  )
  expect(metrics).toMatch(/sitewire_console_request_seconds_count\{.*route="none".*\} 1/)
  for (const text of [metrics, ...console.log]) {
    expect(text).not.toContain("some-channel")
    expect(text).not.toContain("swt_pasted")
  }
  await console.close()
})

test("while the database is unavailable, responses are 503 without internals; once it has recovered, requests succeed", async () => {
  const target = new URL(process.env.DATABASE_URL ?? "")
  const proxy = await severableProxy({ host: target.hostname, port: Number(target.port) })
  const port = proxy.port
  const console = await startConsole({
    databaseUrl: (text) => {
      const url = new URL(text)
      url.host = `127.0.0.1:${port}`
      return url.href
    },
  })
  expect((await console.call("GET", "/v1/channels")).status).toBe(200)
  proxy.sever()
  // The first request uses a broken connection, the others have to connect.
  for (let n = 0; n < 3; n++) {
    const unavailable = await console.call("GET", "/v1/channels")
    expect(unavailable.status).toBe(503)
    expect(unavailable.headers.get("retry-after")).toBe("5")
    expect(unavailable.text).not.toMatch(/127\.0\.0\.1|prisma|ECONN/i)
  }
  expect((await console.call("GET", "/openapi.json", { key: null })).status).toBe(200)
  proxy.restore()
  await waitUntil("requests to succeed again", async () => {
    return (await console.call("GET", "/v1/channels")).status === 200
  })
  await console.close()
  proxy.close()
})

test("an unexpected error is a 500 with the request id and without internals", async () => {
  const console = await startConsole()
  await console.pool.sql("alter table channel rename to gone")
  const broken = await console.call("GET", "/v1/channels")
  expect(broken.status).toBe(500)
  expect(broken.text).not.toMatch(/prisma|channel|table|\.ts/i)
  const requestId = broken.headers.get("x-request-id")
  expect(broken.json.detail).toContain(requestId)
  expect(
    console.log.some((line) => line.includes(String(requestId)) && line.includes("a request failed")),
  ).toBe(true)
  await console.close()
})

test("the links and the OpenAPI document need no API key", async () => {
  const console = await startConsole()
  const root = await console.call("GET", "/", { key: null })
  expect(root.json).toEqual({ name: "Sitewire console", api: "/v1", openapi: "/openapi.json" })
  const document = await console.call("GET", "/openapi.json", { key: null })
  expect(document.json).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
  await console.close()
})
