import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { closedPort } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { readFromTokenEndpoint } from "./readFromTokenEndpoint.ts"

const account = { clientId: "site wire", clientSecret: "s3cret:/+%" }

async function startEndpoint(respond: RequestListener): Promise<string> {
  const server = createServer(respond)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
}

test("a token is requested by the client credentials grant, once for as long as it is valid", async () => {
  const requests: { authorization: string | undefined; form: string }[] = []
  const url = await startEndpoint(async (request, response) => {
    const form = Buffer.concat(await request.toArray()).toString()
    requests.push({ authorization: request.headers.authorization, form })
    response.end(JSON.stringify({ access_token: "token", token_type: "Bearer", expires_in: "3600" }))
  })
  const read = readFromTokenEndpoint({ url, ...account, scope: "kafka write" })
  expect(await Promise.all([read(), read()])).toEqual(["token", "token"])
  expect(await read()).toBe("token")
  const expected = Buffer.from("site%20wire:s3cret%3A%2F%2B%25").toString("base64")
  expect(requests).toEqual([
    { authorization: `Basic ${expected}`, form: "grant_type=client_credentials&scope=kafka+write" },
  ])
})

test("a token that is valid for less than half a minute is requested for each login", async () => {
  let requests = 0
  const url = await startEndpoint((_, response) => {
    requests += 1
    response.end(JSON.stringify({ access_token: `token-${requests}`, expires_in: 20 }))
  })
  const read = readFromTokenEndpoint({ url, ...account })
  expect([await read(), await read()]).toEqual(["token-1", "token-2"])
})

const reply = (status: number, body: unknown): RequestListener => {
  return (_, response) => void response.writeHead(status).end(JSON.stringify(body))
}

test.each([
  [
    "the secret is wrong",
    reply(401, { error: "invalid_client" }),
    /rejected.*401, invalid_client.*KAFKA_PASSWORD/,
  ],
  [
    "the scope is wrong",
    reply(400, { error: "invalid_scope" }),
    /rejected.*invalid_scope.*KAFKA_TOKEN_SCOPE/,
  ],
  [
    "the response repeats the secret",
    reply(401, { error: account.clientSecret, error_description: account.clientSecret }),
    /rejected the request \(HTTP 401\)/,
  ],
  ["it is unavailable", reply(503, {}), /gave no token \(HTTP 503\)/],
  ["it responds with something else", reply(200, { token: "s3cret" }), /contains no valid access_token/],
  ["its token is not text", reply(200, { access_token: "a b\x01" }), /contains no valid access_token/],
  ["its response does not end", (_, response) => void endlessly(response), /more than 65536 bytes/],
  [
    "it redirects",
    (_, response) => void response.writeHead(307, { location: "/other" }).end(),
    /could not be used: .*redirect/,
  ],
] satisfies [string, RequestListener, RegExp][])(
  "if %s, the error says so, without the secret",
  async (_, respond, why) => {
    const reading = readFromTokenEndpoint({ url: await startEndpoint(respond), ...account })()
    await expect(reading).rejects.toThrow(why)
    await expect(reading).rejects.not.toThrow(/s3cret/)
  },
)

test("an endpoint that nobody listens on is named with the reason", async () => {
  const reading = readFromTokenEndpoint({ url: `http://127.0.0.1:${await closedPort()}/token`, ...account })()
  await expect(reading).rejects.toThrow(
    /^The token endpoint at 127\.0\.0\.1:\d+ could not be used: .*ECONNREFUSED/,
  )
})

test("an endpoint that does not respond is given up", async () => {
  const url = await startEndpoint(() => {})
  await expect(readFromTokenEndpoint({ url, ...account }, 200)()).rejects.toThrow("no response within 200 ms")
})

async function endlessly(response: Parameters<RequestListener>[1]): Promise<void> {
  response.writeHead(200)
  while (!response.destroyed) {
    response.write("x".repeat(10_000))
    await new Promise((resolve) => setImmediate(resolve))
  }
}
