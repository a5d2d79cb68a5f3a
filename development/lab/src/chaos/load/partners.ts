import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { siteReadyBody } from "@sitewire/contracts"
import { verify } from "@sitewire/signing/sender"
import { paidEvent } from "../../shared/paidEvent.ts"
import { createRandom } from "../../shared/random.ts"
import { announce, serve } from "../../shared/serve.ts"
import type { SeenRequest } from "../outbound/evidence.ts"
import type { PartnersState, SeenGet } from "./seen.ts"

// The partners of a run: one process, which is never a target of faults. Deliveries come to /<behaviour>/<channel>, and
// GETs of sources to /source/<behaviour>/<connection>. It counts, so that a run may last for hours; with CHAOS_RECORD,
// it also stores each request to a channel. POST /heal makes all behave well.
const { CHAOS_SECRET: secret = "", CHAOS_SEED: seed = "0", CHAOS_RECORD: isRecording } = process.env
const random = createRandom(Number(seed))
const requests: SeenRequest[] = []
let isHealed = false
let received = new Uint8Array(1 << 16)
let forged = 0
/** By event number: the id of its delivery, and how many requests had another one. */
const deliveryIds = new Map<number, string>()
let renamed = 0
let latencies: number[] = []
const newest = new Map<string, SeenGet>()
let closest: PartnersState["closest"] = null

/** Long enough for circuit breakers to open or close. */
const failingMs = 6_000
/** The behaviours of partners and, below, of sources. */
const behaviours: Record<string, () => SeenRequest["status"]> = {
  healthy: () => 204,
  flaky: () => random.pick([204, 204, 204, 500, 503, "reset"] as const),
  hanging: () => "none",
  recovering: () => (Math.floor(Date.now() / failingMs) % 2 === 0 ? 503 : 204),
}

/**
 * The times of a timer's last ticks. While this process gets no CPU time, requests wait. Accepting a connection and
 * reading from it are two turns of the event loop, each of which may be late.
 */
const ticks = Array.from({ length: 6 }, () => performance.now())
setInterval(() => {
  ticks.shift()
  ticks.push(performance.now())
}, 5)

function countDelivery(number: number, delivery: string, status: SeenRequest["status"], verified: boolean) {
  if (!deliveryIds.has(number)) deliveryIds.set(number, delivery)
  else if (deliveryIds.get(number) !== delivery) renamed += 1
  if (!verified) forged += 1
  else if (status === 204) {
    if (number >= received.length) {
      const larger = new Uint8Array(2 * number)
      larger.set(received)
      received = larger
    }
    received[number] = Math.min(255, (received[number] ?? 0) + 1)
  }
}

function countGet(get: SeenGet): void {
  const { connection, at, steadyMs } = get
  const before = newest.get(connection)
  const gapMs = before ? steadyMs - before.steadyMs + before.lateMs : Number.POSITIVE_INFINITY
  if (gapMs < (closest?.gapMs ?? Number.POSITIVE_INFINITY)) closest = { connection, gapMs, at }
  newest.set(connection, get)
}

/** An event's `reference` is its number and the time of its publishing. */
function handleDelivery(kind: string, channel: string, request: IncomingMessage, body: Buffer) {
  const at = Date.now()
  const { headers } = request
  const reference = referenceIn(body)
  const [number = -1, publishedAt = 0] = reference.split(":").map(Number)
  const event = `event-${number}`
  const { valid } = verify({ body, header: headers["x-sitewire-signature"], secrets: [secret] })
  const verified = valid && siteReadyBody(paidEvent(event, channel, reference)).equals(body)
  const usual = isHealed ? 204 : (behaviours[kind]?.() ?? 404)
  // Records are judged later, so that a forged delivery does not become a failed one.
  const status = verified || isRecording ? usual : 400
  const delivery = String(headers["x-sitewire-delivery"])
  countDelivery(number, delivery, status, verified)
  if (verified && status === 204 && received[number] === 1 && kind === "healthy")
    latencies.push(at - publishedAt)
  if (isRecording)
    requests.push({
      at,
      channel,
      delivery,
      number: Number(headers["x-sitewire-attempt"]),
      sha256: createHash("sha256").update(body).digest("hex"),
      verified,
      event,
      status,
    })
  return status
}

function referenceIn(body: Buffer): string {
  try {
    return String((JSON.parse(body.toString()) as { reference?: unknown }).reference)
  } catch {
    return ""
  }
}

/** Sources are steady, slow or failing. */
function handleGet(kind: string, connection: string, response: ServerResponse): void {
  const now = performance.now()
  const steadyMs = performance.timeOrigin + now
  const get: SeenGet = { connection, at: Date.now(), steadyMs, lateMs: now - (ticks[0] ?? 0) }
  countGet(get)
  const isFailing = !isHealed && kind === "failing" && random.next() < 0.3
  const respond = () => response.writeHead(isFailing ? 503 : 200).end(`data of ${connection}, ${get.at}`)
  if (!isHealed && kind === "slow") setTimeout(respond, random.between(0, 2_000))
  else respond()
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
  const p99Ms = latencies.sort((a, b) => a - b)[Math.floor(0.99 * latencies.length)] ?? null
  latencies = []
  const times = Object.fromEntries([...newest].map(([connection, { at }]) => [connection, at]))
  return { missing, duplicates, forged, renamed, p99Ms, gets: times, closest }
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const [, kind = "", name = "", connection = ""] = (request.url ?? "").split("/")
  if (kind === "source") return void handleGet(name, connection, response)
  if (kind === "state") return void response.end(JSON.stringify(state(Number(name))))
  if (kind === "requests")
    return void response.end(requests.map((entry) => `${JSON.stringify(entry)}\n`).join(""))
  if (kind === "heal") {
    isHealed = true
    return void response.end()
  }
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const status = handleDelivery(kind, name, request, Buffer.concat(chunks))
    if (status === "reset") response.destroy()
    else if (status !== "none") response.writeHead(status).end()
  })
}

// Each behaviour has its own origin, because the dispatcher limits connections by origin, and hanging partners would
// use all connections.
const addresses: Record<string, string> = {}
for (const kind of [...Object.keys(behaviours), "source"]) addresses[kind] = (await serve(handle)).origin
announce(addresses)
