import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import express from "express"
// Still what many partners run.
import express4 from "express-4"
import fastify from "fastify"
import Koa from "koa"
import { onTestFinished } from "vitest"
import { expressHandler } from "../src/express.ts"
import { fastifyPlugin } from "../src/fastify.ts"
import { fetchHandler, type HandlerOptions, type HandlerSecrets, type OnSiteReady } from "../src/index.ts"
import { koaMiddleware } from "../src/koa.ts"

type Arguments = [HandlerSecrets, OnSiteReady<unknown>, HandlerOptions?]

/** A receiver in each framework, as a listener of `node:http`. */
const frameworks = {
  fetch: (...handler) => listenerOf(fetchHandler(...handler)),
  "node:http": (...handler) => {
    const handle = expressHandler(...handler)
    return (request, response) => void handle(request, response, () => response.writeHead(500).end())
  },
  "Express 4": (...handler) => inExpress(express4, handler),
  "Express 5": (...handler) => inExpress(express, handler),
  Koa: (...handler) => {
    const app = new Koa()
    app.silent = true
    return app.use(koaMiddleware(...handler)).callback()
  },
  Fastify: async (...handler) => {
    const app = fastify()
    await app.register(fastifyPlugin(...handler))
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
} satisfies Record<string, (...handler: Arguments) => RequestListener | Promise<RequestListener>>

export type Framework = keyof typeof frameworks
export const frameworkNames = Object.keys(frameworks) as Framework[]

/** Serves the handler on a free port until the test ends, and returns its address. */
export async function startHandler(framework: Framework, ...handler: Arguments): Promise<string> {
  return serve(await frameworks[framework](...handler))
}

export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function inExpress(version: typeof express, handler: Arguments): RequestListener {
  const app = version()
  // Otherwise, Express prints errors.
  app.set("env", "test")
  return app.post("/", expressHandler(...handler))
}

function listenerOf(handle: (request: Request) => Promise<Response>): RequestListener {
  return async (incoming, outgoing) => {
    const response = await handle(toRequest(incoming)).catch(() => new Response(null, { status: 500 }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  }
}

function toRequest(incoming: IncomingMessage): Request {
  return new Request("http://partner.example/", {
    method: "POST",
    headers: new Headers(incoming.headers as Record<string, string>),
    body: Readable.toWeb(incoming) as ReadableStream,
    duplex: "half",
  })
}
