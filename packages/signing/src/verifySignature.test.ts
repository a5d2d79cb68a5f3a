import { once } from "node:events"
import { request as httpRequest, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import express, { type ErrorRequestHandler, type Express, type Request } from "express"
// Still what many partners run.
import express4 from "express-4"
import { expect, onTestFinished, test } from "vitest"
import { type SignedRequest, sign, verifySignature } from "./index.ts"

const secret = "a secret"
const body = '{ "name":"Bäckerei",\n "n": 1 }\n'

test("a signed JSON body passes, with the raw bytes and what they say", async () => {
  const url = await receiver(verifySignature({ secrets: [secret] }))
  const response = await post(url, { body, header: sign(body, secret) })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    raw: Buffer.from(body).toString("base64"),
    body: { name: "Bäckerei", n: 1 },
  })
})

test("a body that does not say it is JSON is left to the caller, byte for byte", async () => {
  const url = await receiver(verifySignature({ secrets: [secret] }))
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  const response = await post(url, {
    body: bytes,
    header: sign(bytes, secret),
    type: "application/octet-stream",
  })
  expect(await response.json()).toEqual({ raw: Buffer.from(bytes).toString("base64") })
})

test("an empty body is signed like any other", async () => {
  const url = await receiver(verifySignature({ secrets: [secret] }))
  const response = await fetch(url, { method: "POST", headers: { "X-Sitewire-Signature": sign("", secret) } })
  expect(await response.json()).toEqual({ raw: "" })
})

test.each([
  ["missing", undefined],
  ["malformed", sign(body, secret).toUpperCase()],
  ["malformed", "canary"],
  ["mismatch", sign(`${body} `, secret)],
  ["mismatch", sign(body, "another")],
])(
  "an invalid signature gets 401, which says %s and does not echo the header (%s)",
  async (reason, header) => {
    const url = await receiver(verifySignature({ secrets: [secret] }))
    const response = await post(url, { body, header })
    const answer = await response.text()
    expect(response.status).toBe(401)
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    expect(response.headers.get("www-authenticate")).toContain("X-Sitewire-Signature")
    expect(JSON.parse(answer)).toMatchObject({
      type: "about:blank",
      title: "Unauthorized",
      status: 401,
      reason,
    })
    if (header !== undefined) expect(answer).not.toContain(header)
    expect(answer).not.toContain(secret)
  },
)

test("a repeated header is malformed, even if each is right", async () => {
  const url = await receiver(verifySignature({ secrets: [secret] }))
  const header = sign(body, secret)
  const sent = httpRequest(url, { method: "POST", headers: { "X-Sitewire-Signature": [header, header] } })
  sent.end(body)
  const [response] = (await once(sent, "response")) as [IncomingMessage]
  expect(response.statusCode).toBe(401)
  expect(JSON.parse(await text(response)).reason).toBe("malformed")
})

test("the secrets are asked for on each request, so a rotation takes effect at once", async () => {
  let secrets = ["old"]
  const url = await receiver(verifySignature({ secrets: async () => secrets }))
  expect((await post(url, { body, header: sign(body, "new") })).status).toBe(401)
  secrets = ["old", "new"]
  expect((await post(url, { body, header: sign(body, "new") })).status).toBe(200)
  expect((await post(url, { body, header: sign(body, "old") })).status).toBe(200)
})

test("another header name can be set and is then the only one", async () => {
  const url = await receiver(verifySignature({ secrets: [secret], header: "X-Acme-Signature" }))
  const headers = { "x-acme-signature": sign(body, secret) }
  expect((await fetch(url, { method: "POST", headers, body })).status).toBe(200)
  expect((await post(url, { body, header: sign(body, secret) })).status).toBe(401)
})

test("a body at the limit passes and one byte more gets 413, however it is sent", async () => {
  const url = await receiver(verifySignature({ secrets: [secret] }))
  const largest = Buffer.alloc(64 * 1024, "a")
  const over = Buffer.alloc(64 * 1024 + 1, "a")
  const type = "text/plain"
  expect((await post(url, { body: largest, header: sign(largest, secret), type })).status).toBe(200)
  expect((await post(url, { body: over, header: sign(over, secret), type })).status).toBe(413)
  const farOver = Buffer.alloc(20 * 1024 * 1024)
  expect((await post(url, { body: farOver, header: sign(farOver, secret), type })).status).toBe(413)
  // Without a Content-Length, in chunks, the length shows only while reading.
  const far = new Blob([Buffer.alloc(5 * 1024 * 1024)]).stream()
  const streamed = await fetch(url, { method: "POST", body: far, duplex: "half" })
  expect(streamed.status).toBe(413)
  expect(await streamed.json()).toMatchObject({ status: 413, title: "Content Too Large" })
})

test("signed text that is not JSON gets 400, unsigned text gets 401 before anybody parses it", async () => {
  const url = await receiver(verifySignature({ secrets: [secret] }))
  const latin1 = Buffer.from('{"name":"Bäckerei"}', "latin1")
  for (const wrong of ["{", "", latin1]) {
    const response = await post(url, { body: wrong, header: sign(wrong, secret) })
    expect(response.status).toBe(400)
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    expect((await post(url, { body: wrong, header: sign("other", secret) })).status).toBe(401)
  }
})

test.each(["application/json; charset=utf-8", "Application/JSON", "application/cloudevents+json"])(
  "%s is JSON",
  async (type) => {
    const url = await receiver(verifySignature({ secrets: [secret] }))
    const response = await post(url, { body, header: sign(body, secret), type })
    expect(await response.json()).toMatchObject({ body: { n: 1 } })
  },
)

test.each([
  ["express.json()", express.json()],
  ["express.json(), some time ago,", [express.json(), onceClosed]],
  ["express.raw()", express.raw({ type: "*/*" })],
  ["setEncoding", decode],
  ["a look at its first bytes", peek],
])(
  "a body that %s has taken is the receiver's mistake: 500 with a message that says what to do",
  async (_, parser) => {
    const errors: unknown[] = []
    const url = await receiver(verifySignature({ secrets: [secret] }), { before: parser, errors })
    const response = await post(url, { body, header: sign(body, secret) })
    expect(response.status).toBe(500)
    expect(String(errors[0])).toContain("Put verifySignature before express.json()")
  },
)

test.each([
  ["4", express4],
  ["5", express],
])("a body parser of Express %s after it leaves the parsed body alone", async (_, version) => {
  const url = await receiver([verifySignature({ secrets: [secret] }), version.json()], { version })
  const response = await post(url, { body, header: sign(body, secret) })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ body: { n: 1 } })
})

test("an asynchronous handler before it does not lose the body", async () => {
  const later: express.RequestHandler = (_request, _response, next) => void setImmediate(next)
  const url = await receiver(verifySignature({ secrets: [secret] }), { before: later })
  expect((await post(url, { body, header: sign(body, secret) })).status).toBe(200)
})

test("a handler that listens to the body beside it takes nothing away, though the secrets take time", async () => {
  const listening: express.RequestHandler = (request, _response, next) => {
    request.on("data", () => {})
    next()
  }
  const secrets = async () => {
    await new Promise(setImmediate)
    return [secret]
  }
  const url = await receiver(verifySignature({ secrets }), { before: listening })
  expect((await post(url, { body, header: sign(body, secret) })).status).toBe(200)
})

test("secrets that cannot be had, or are empty, are an error and never a valid request", async () => {
  const errors: unknown[] = []
  const failing = verifySignature({ secrets: () => Promise.reject(new Error("the vault is away")) })
  const failed = await post(await receiver(failing, { errors }), { body, header: sign(body, secret) })
  expect(failed.status).toBe(500)
  const empty = await receiver(verifySignature({ secrets: () => [""] }), { errors })
  expect((await post(empty, { body, header: sign(body, secret) })).status).toBe(500)
  expect(errors.map(String)).toEqual([expect.stringContaining("vault"), expect.stringContaining("empty")])
})

test("a wrong setting is refused when the receiver starts", () => {
  expect(() => verifySignature({ secrets: [] })).toThrow("No signing secret")
  expect(() => verifySignature({ secrets: [""] })).toThrow("empty")
  expect(() => verifySignature({ secrets: [secret], header: "X Signature" })).toThrow("header's name")
  expect(() => verifySignature({ secrets: [secret], limit: Number.NaN })).toThrow("number of bytes")
})

test("an empty body that something else has read is the same mistake, and does not hang", async () => {
  const errors: unknown[] = []
  const drain: express.RequestHandler = (request, _response, next) => void request.resume().once("end", next)
  const url = await receiver(verifySignature({ secrets: [secret] }), { before: drain, errors })
  const response = await fetch(url, { method: "POST", headers: { "X-Sitewire-Signature": sign("", secret) } })
  expect(response.status).toBe(500)
  expect(String(errors[0])).toContain("Put verifySignature before express.json()")
})

const atOnce: express.RequestHandler = (_request, _response, next) => next()
test.each([
  ["in the middle of its body", atOnce],
  ["before verifySignature has its turn", onceClosed],
])("a sender that goes away %s neither passes nor stops the receiver", async (_, before) => {
  const errors: unknown[] = []
  let passed = false
  const settled = Promise.withResolvers<void>()
  const verifying = verifySignature({ secrets: [secret] })
  const watched: express.RequestHandler = (request, response, next) => {
    const onNext = (error?: unknown) => {
      passed = true
      next(error)
    }
    void verifying(request, response, onNext).then(settled.resolve)
  }
  const url = await receiver(watched, { before, errors })
  const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {})
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${body}`, () => socket.end())
  await settled.promise
  socket.destroy()
  expect({ passed, errors }).toEqual({ passed: false, errors: [] })
})

type ReceiverOptions = {
  before?: express.RequestHandler | express.RequestHandler[]
  errors?: unknown[]
  version?: typeof express
}

/** A receiver on a free port that answers what the middleware left on the request. Closed after the test. */
async function receiver(
  middleware: express.RequestHandler | express.RequestHandler[],
  { before, errors, version = express }: ReceiverOptions = {},
): Promise<string> {
  const app: Express = version()
  if (before !== undefined) app.use(before)
  app.post("/", middleware, (request: Request, response: express.Response) => {
    const { rawBody, body } = request as SignedRequest
    response.json({ raw: rawBody?.toString("base64"), body })
  })
  const onError: ErrorRequestHandler = (error, _request, response, _next) => {
    errors?.push(error)
    response.sendStatus(500)
  }
  app.use(onError)
  const server = app.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function post(
  url: string,
  {
    body,
    header,
    type = "application/json",
  }: { body: Uint8Array<ArrayBuffer> | string; header: string | undefined; type?: string },
): Promise<Response> {
  const signature = header === undefined ? {} : { "X-Sitewire-Signature": header }
  return fetch(url, { method: "POST", headers: { "Content-Type": type, ...signature }, body })
}

function decode(request: IncomingMessage, _response: unknown, next: () => void): void {
  request.setEncoding("utf8")
  next()
}

function peek(request: IncomingMessage, _response: unknown, next: () => void): void {
  request.once("data", () => {
    request.pause()
    next()
  })
}

function onceClosed(request: IncomingMessage, _response: unknown, next: () => void): void {
  request.once("close", next)
}
