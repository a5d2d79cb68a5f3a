import { createHash } from "node:crypto"
import { siteReadySchema } from "@sitewire/contracts"
import { verify } from "@sitewire/signing/sender"
import express, { type Express, type Request } from "express"

export type ReceivedDelivery = {
  at: string
  channel: string
  delivery: string
  attempt: number
  verdict: "valid" | "missing" | "malformed" | "mismatch" | "no secret"
  status: number
  signature: string
  body: string
}
export type SourceFetch = { at: string; status: number }

type Named = { name: string }

const maxReceived = 1_000

/**
 * A small partner application. It receives `site.ready` at /notify/<channel> and verifies the signature over
 * the raw bytes. It serves data at /sources/<name> with an ETag. `known` has the signing secrets of channels
 * from earlier runs.
 */
export function createPartner(known: Record<string, string> = {}): Express {
  const secrets = new Map(Object.entries(known))
  const failuresLeft = new Map<string, number>()
  const received: ReceivedDelivery[] = []
  const sources = new Map<string, { content: string; fetches: SourceFetch[] }>()
  const app = express()
  app.disable("x-powered-by")

  app.post("/notify/:channel", express.raw({ type: () => true, limit: "64kb" }), (request, response) => {
    const { channel } = request.params
    const body: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const verdict = judge(channel, body, request.get("x-sitewire-signature"))
    const left = failuresLeft.get(channel) ?? 0
    if (left > 0) failuresLeft.set(channel, left - 1)
    const status = verdict !== "valid" ? 401 : left > 0 ? 500 : 204
    received.push({
      at: new Date().toISOString(),
      channel,
      delivery: request.get("x-sitewire-delivery") ?? "",
      attempt: Number(request.get("x-sitewire-attempt") ?? 0),
      verdict,
      status,
      signature: request.get("x-sitewire-signature") ?? "",
      body: body.toString("utf8"),
    })
    if (received.length > maxReceived) received.shift()
    response.status(status).end()
  })

  app.get("/sources/:name", (request, response) => {
    const source = sourceOf(request.params.name)
    const etag = `"${createHash("sha256").update(source.content).digest("hex").slice(0, 16)}"`
    const status = request.get("if-none-match") === etag ? 304 : 200
    source.fetches.push({ at: new Date().toISOString(), status })
    response.set("etag", etag).type("application/json").status(status)
    response.end(status === 200 ? source.content : undefined)
  })

  app.get("/received", (request, response) => {
    const { channel } = request.query
    response.json(received.filter((delivery) => channel === undefined || delivery.channel === channel))
  })
  app.put("/channels/:channel", express.json(), (request, response) => {
    secrets.set(request.params.channel, String(request.body.secret))
    response.sendStatus(204)
  })
  app.post("/channels/:channel/fail", express.json(), (request, response) => {
    failuresLeft.set(request.params.channel, Number(request.body.times))
    response.sendStatus(204)
  })
  app.put("/sources/:name", express.text({ type: () => true }), (request: Request<Named>, response) => {
    sourceOf(request.params.name).content = String(request.body)
    response.sendStatus(204)
  })
  app.get("/sources/:name/fetches", (request, response) => {
    response.json(sourceOf(request.params.name).fetches)
  })

  function judge(channel: string, body: Buffer, header: string | undefined): ReceivedDelivery["verdict"] {
    const secret = secrets.get(channel)
    if (secret === undefined) return "no secret"
    const verdict = verify({ body, header, secrets: [secret] })
    if (!verdict.valid) return verdict.reason
    siteReadySchema.strict().parse(JSON.parse(body.toString("utf8")))
    return "valid"
  }

  function sourceOf(name: string) {
    const source = sources.get(name) ?? { content: JSON.stringify({ name, items: [] }), fetches: [] }
    sources.set(name, source)
    return source
  }

  return app
}
