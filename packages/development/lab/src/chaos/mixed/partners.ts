import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { verify } from "@sitewire/signing"
import { createRandom } from "../random.ts"
import type { PartnersState } from "./partnersState.ts"

// The partners of a run of both flows: one process, which is never a target of faults. Receives deliveries at /healthy/…
// and /flaky/…, and serves the sources /source/<connection>. It counts instead of recording each request, so that a run
// may last for hours. An event's `reference` is its number and the time of its publishing.
const { CHAOS_SECRET: secret = "", CHAOS_SEED: seed = "0" } = process.env
const random = createRandom(Number(seed))
let received = new Uint8Array(1 << 16)
let forged = 0
let latencies: number[] = []
const gets = new Map<string, { at: number; earliestMs: number }>()
let closest: PartnersState["closest"] = null

/**
 * The times of a timer's last ticks. While this process gets no CPU time, requests wait. Accepting a connection and
 * reading from it are two turns of the event loop, each of which may be late.
 */
const ticks = Array.from({ length: 6 }, () => performance.now())
setInterval(() => {
  ticks.shift()
  ticks.push(performance.now())
}, 5)

function count(number: number): number {
  if (number >= received.length) {
    const larger = new Uint8Array(2 * number)
    larger.set(received)
    received = larger
  }
  received[number] = Math.min(255, (received[number] ?? 0) + 1)
  return received[number]
}

/** The number and the time of publishing; null if the request is not signed, or is for another channel. */
function readEvent(name: string, request: IncomingMessage, body: Buffer): [number, number] | null {
  const { valid } = verify({ body, header: request.headers["x-sitewire-signature"], secrets: [secret] })
  if (!valid) return null
  const { channel, reference } = JSON.parse(body.toString()) as { channel: string; reference: string }
  const [number = -1, publishedAt = 0] = reference.split(":").map(Number)
  return channel === `channel-${name}` && number >= 0 ? [number, publishedAt] : null
}

function takeDelivery(kind: string, name: string, request: IncomingMessage, body: Buffer): number {
  const event = readEvent(name, request, body)
  if (event === null) {
    forged += 1
    return 400
  }
  const [number, publishedAt] = event
  if (kind === "flaky" && random.next() < 0.3) return 503
  if (count(number) === 1 && kind === "healthy") latencies.push(Date.now() - publishedAt)
  return 204
}

function takeGet(connection: string): string {
  const seenMs = performance.now()
  const before = gets.get(connection)
  const at = Date.now()
  const gapMs = seenMs - (before?.earliestMs ?? Number.NEGATIVE_INFINITY)
  if (before !== undefined && gapMs < (closest?.gapMs ?? Number.POSITIVE_INFINITY))
    closest = { connection, gapMs: Math.floor(gapMs), first: before.at, second: at }
  gets.set(connection, { at, earliestMs: ticks[0] ?? seenMs })
  return `data of ${connection}, ${at}`
}

/** The numbers below `published` that no partner accepted, and how many were accepted more than once. */
function state(published: number): PartnersState {
  const missing: number[] = []
  let duplicates = 0
  for (let number = 0; number < published; number++) {
    const times = received[number] ?? 0
    if (times === 0) missing.push(number)
    else duplicates += times - 1
  }
  const sorted = Float64Array.from(latencies).sort()
  latencies = []
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null
  return {
    ...{ missing: missing.length, firstMissing: missing.slice(0, 20), duplicates, forged },
    latency: { p50: at(0.5), p99: at(0.99), max: at(1) },
    gets: Object.fromEntries([...gets].map(([connection, { at }]) => [connection, at])),
    closest,
  }
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const [, kind = "", name = ""] = (request.url ?? "").split("/")
  if (kind === "source") return void response.end(takeGet(name))
  if (kind === "state") return void response.end(JSON.stringify(state(Number(name))))
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => response.writeHead(takeDelivery(kind, name, request, Buffer.concat(chunks))).end())
}

const server = createServer(handle)
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  const partners = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.send?.({ addresses: { partners }, ready: true })
})
process.once("disconnect", () => process.exit(0))
