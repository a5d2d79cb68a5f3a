import { once } from "node:events"
import { request as httpRequest, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import express from "express"
import fastify from "fastify"
import Koa from "koa"
import { expect, test } from "vitest"
import { expressHandler } from "../src/express.ts"
import { fastifyPlugin } from "../src/fastify.ts"
import { fetchHandler, type SiteReady } from "../src/index.ts"
import { koaMiddleware } from "../src/koa.ts"
import { exampleEvent, signDelivery } from "../src/testing.ts"
import { frameworkNames, serve, startHandler } from "./startHandler.ts"

const secret = "a secret"

type Signed = Awaited<ReturnType<typeof signDelivery>>
const post = (url: string, { body, headers }: Signed) => fetch(url, { method: "POST", body, headers })
const withSignature = ({ body, headers }: Signed, signature: string): Signed => ({
  body,
  headers: { ...headers, "X-Sitewire-Signature": signature },
})

for (const framework of frameworkNames) {
  test(`${framework}: a genuine delivery gets 204 after the function has returned`, async () => {
    const seen: unknown[] = []
    const url = await startHandler(framework, [secret], async (event) => {
      await new Promise(setImmediate)
      seen.push(event)
    })
    const event = { ...exampleEvent, name: "Bäckerei", delivery: "d1" }
    const response = await post(url, await signDelivery(event, secret))
    expect(response.status).toBe(204)
    expect(seen).toEqual([event])
  })

  test(`${framework}: the challenge of a genuine delivery is returned, and no other`, async () => {
    const url = await startHandler(framework, [secret], () => {})
    const returned = async (signed: Signed, challenge: string) => {
      const headers = { ...signed.headers, "X-Sitewire-Challenge": challenge }
      return (await post(url, { ...signed, headers })).headers.get("x-sitewire-challenge")
    }
    const genuine = await signDelivery({}, secret)
    expect(await returned(genuine, "Ab_9-")).toBe("Ab_9-")
    expect(await returned(genuine, "a, b")).toBeNull()
    expect(await returned(await signDelivery({}, "another secret"), "Ab_9-")).toBeNull()
    expect((await post(url, genuine)).headers.has("x-sitewire-challenge")).toBe(false)
  })

  test(`${framework}: a forged delivery gets 401 with the fault, and the function is not called`, async () => {
    const seen: SiteReady[] = []
    const url = await startHandler(framework, [secret], (event) => seen.push(event))
    const signed = await signDelivery({}, secret)
    const genuine = signed.headers["X-Sitewire-Signature"] ?? ""
    const requests: [Signed, string][] = [
      [withSignature(signed, ""), "missing"],
      [withSignature(signed, genuine.toUpperCase()), "malformed"],
      [withSignature(signed, "canary"), "malformed"],
      [withSignature(await signDelivery({ name: "another" }, secret), genuine), "mismatch"],
      [await signDelivery({}, "another secret"), "mismatch"],
    ]
    for (const [request, fault] of requests) {
      const response = await post(url, request)
      expect(response.status).toBe(401)
      expect(response.headers.get("content-type")).toMatch(/^application\/json/)
      expect(await response.text()).toBe(JSON.stringify({ fault }))
    }
    expect(seen).toEqual([])
  })

  test(`${framework}: a repeated header is malformed, even if each is right`, async () => {
    const url = await startHandler(framework, [secret], () => {})
    const { body, headers } = await signDelivery({}, secret)
    const signature = headers["X-Sitewire-Signature"] ?? ""
    const sent = httpRequest(url, {
      method: "POST",
      headers: { "X-Sitewire-Signature": [signature, signature] },
    })
    sent.end(body)
    const [response] = (await once(sent, "response")) as [IncomingMessage]
    expect(response.statusCode).toBe(401)
    expect(JSON.parse(await text(response)).fault).toBe("malformed")
  })

  test(`${framework}: what is signed but no site.ready gets 400`, async () => {
    const url = await startHandler(framework, [secret], () => {})
    for (const content of ["", "{", '{"event":"site.paid"}', Buffer.from([0xff])]) {
      const response = await post(url, await signDelivery(content, secret))
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ fault: "invalid-body" })
    }
  })

  test(`${framework}: the type of the content does not matter`, async () => {
    const url = await startHandler(framework, [secret], () => {})
    const { body, headers } = await signDelivery({}, secret)
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/octet-stream"])
      expect((await post(url, { body, headers: { ...headers, "Content-Type": type } })).status).toBe(204)
    const { "Content-Type": _, ...untyped } = headers
    expect((await post(url, { body, headers: untyped })).status).toBe(204)
  })

  test(`${framework}: a body at the limit passes, and one byte more gets 413, however it is sent`, async () => {
    const url = await startHandler(framework, [secret], () => {})
    const largest = JSON.stringify(exampleEvent).padEnd(64 * 1024)
    expect((await post(url, await signDelivery(largest, secret))).status).toBe(204)
    expect((await post(url, await signDelivery(`${largest} `, secret))).status).toBe(413)
    // Without a Content-Length, in chunks, the length shows only while reading.
    const chunked = httpRequest(url, { method: "POST", headers: { "transfer-encoding": "chunked" } })
    chunked.write(Buffer.alloc(1024 * 1024))
    const [response] = (await once(chunked, "response")) as [IncomingMessage]
    expect(response.statusCode).toBe(413)
    chunked.destroy()
    const small = await startHandler(framework, [secret], () => {}, { limit: 10 })
    expect((await post(small, await signDelivery({}, secret))).status).toBe(413)
  })

  test(`${framework}: an error of the function is the framework's 500, and the next delivery is served`, async () => {
    let failing = true
    const url = await startHandler(framework, [secret], async () => {
      if (failing) throw new Error("the database is unavailable")
    })
    const signed = await signDelivery({}, secret)
    expect((await post(url, signed)).status).toBe(500)
    failing = false
    expect((await post(url, signed)).status).toBe(204)
  })

  test(`${framework}: the secrets are asked for on each request, so a rotation takes effect at once`, async () => {
    let secrets = ["old"]
    const url = await startHandler(
      framework,
      async () => secrets,
      () => {},
    )
    const signed = await signDelivery({}, "new")
    expect((await post(url, signed)).status).toBe(401)
    secrets = ["old", "new"]
    expect((await post(url, signed)).status).toBe(204)
    secrets = [""]
    expect((await post(url, signed)).status).toBe(500)
  })

  test(`${framework}: the scheme and its tolerance can be set`, async () => {
    const options = { scheme: "standard-webhooks", toleranceSeconds: 1_000 } as const
    const url = await startHandler(framework, [secret], () => {}, options)
    const before = (seconds: number) => ({ timestamp: Math.floor(Date.now() / 1_000) - seconds })
    expect((await post(url, await signDelivery({}, secret, before(600)))).status).toBe(204)
    const outdated = await post(url, await signDelivery({}, secret, before(2_000)))
    expect(await outdated.json()).toEqual({ fault: "outdated" })
  })

  test(`${framework}: an application that has no secret or function, or a wrong option, stops at its start`, async () => {
    const start = (...handler: [string[], object?]) =>
      startHandler(framework, handler[0], () => {}, handler[1])
    await expect(start([])).rejects.toThrow("No signing secret")
    await expect(start([""])).rejects.toThrow("empty")
    await expect(start(["whsec_"])).rejects.toThrow("not base64")
    await expect(startHandler(framework, [secret], undefined as never)).rejects.toThrow("no function")
    await expect(start([secret], { header: "X Signature" })).rejects.toThrow("name of a header")
    await expect(start([secret], { limit: Number.NaN })).rejects.toThrow("number of bytes")
    await expect(start([secret], { scheme: "standard" })).rejects.toThrow("scheme")
    await expect(start([secret], { toleranceSeconds: Number.NaN })).rejects.toThrow("number of seconds")
  })

  test(`${framework}: a sender that goes away in the middle of its body does not stop the receiver`, async () => {
    let called = false
    const url = await startHandler(framework, [secret], () => {
      called = true
    })
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {})
    const closed = once(socket, "close")
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf", () => socket.destroy())
    await closed
    expect(called).toBe(false)
    expect((await post(url, await signDelivery({}, secret))).status).toBe(204)
  })
}

test.each<[string, express.RequestHandler | express.RequestHandler[]]>([
  ["express.json()", express.json()],
  ["express.json(), some time ago,", [express.json(), onceClosed]],
  ["express.raw()", express.raw({ type: "*/*" })],
  ["setEncoding", decode],
  ["a look at its first bytes", peek],
])("Express: a body that %s has taken is an error that says what to do", async (_, before) => {
  const errors: unknown[] = []
  const app = express()
    .use(before)
    .post(
      "/",
      expressHandler([secret], () => {}),
    )
  const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(error)
    response.sendStatus(500)
  }
  const response = await post(await serve(app.use(onError)), await signDelivery({}, secret))
  expect(response.status).toBe(500)
  expect(errors).toEqual([expect.any(TypeError)])
  expect(String(errors[0])).toContain("Put the handler before every body parser")
})

test("Koa and fetch: a body that something else has read is an error that says what to do", async () => {
  const errors: unknown[] = []
  const app = new Koa().on("error", (error) => errors.push(error))
  app.use(async (context, next) => {
    await text(context.req)
    await next()
  })
  const signed = await signDelivery({}, secret)
  expect(
    (await post(await serve(app.use(koaMiddleware([secret], () => {})).callback()), signed)).status,
  ).toBe(500)
  expect(String(errors[0])).toContain("Put the handler before every body parser")

  const request = new Request("http://partner.example/", { method: "POST", ...signed })
  await request.text()
  await expect(fetchHandler([secret], () => {})(request)).rejects.toThrow(
    "Put the handler before every body parser",
  )
})

test("the function gets the request, so that it can read other headers", async () => {
  const ids: unknown[] = []
  const signed = await signDelivery({}, secret, { id: "d1" })
  const handle = fetchHandler([secret], (_, { headers }) => ids.push(headers.get("x-sitewire-delivery")))
  await handle(new Request("http://partner.example/", { method: "POST", ...signed }))
  const inExpress = expressHandler([secret], (_, { headers }) => ids.push(headers["x-sitewire-delivery"]))
  await post(await serve(express().post("/", inExpress)), signed)
  const inKoa = koaMiddleware<Koa.Context>([secret], (_, context) =>
    ids.push(context.get("x-sitewire-delivery")),
  )
  await post(await serve(new Koa().use(inKoa).callback()), signed)
  expect(ids).toEqual(["d1", "d1", "d1"])
})

test("Fastify: other routes keep their parsers", async () => {
  const app = fastify()
  app.register(
    fastifyPlugin([secret], () => {}),
    { prefix: "/webhook" },
  )
  app.post("/other", ({ body }) => body)
  const response = await app.inject({ method: "POST", url: "/other", body: { name: "Bakery" } })
  expect(response.json()).toEqual({ name: "Bakery" })
  const { body, headers } = await signDelivery({}, secret)
  const delivered = await app.inject({ method: "POST", url: "/webhook", body: Buffer.from(body), headers })
  expect(delivered.statusCode).toBe(204)
})

test("Express: a handler that listens to the body beside it takes nothing away, though the secrets take time", async () => {
  const listening: express.RequestHandler = (request, _response, next) => {
    request.on("data", () => {})
    next()
  }
  const secrets = async () => {
    await new Promise(setImmediate)
    return [secret]
  }
  const app = express()
    .use(listening)
    .post(
      "/",
      expressHandler(secrets, () => {}),
    )
  expect((await post(await serve(app), await signDelivery({}, secret))).status).toBe(204)
})

test("Express: a sender that has gone away before the handler has its turn is not an error", async () => {
  const settled = Promise.withResolvers<unknown>()
  const handle = expressHandler([secret], () => {})
  const url = await serve((request, response) =>
    onceClosed(request, response, () => {
      void handle(request, response, settled.reject).then(settled.resolve)
    }),
  )
  const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {})
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf", () => socket.end())
  await settled.promise
  socket.destroy()
})

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
