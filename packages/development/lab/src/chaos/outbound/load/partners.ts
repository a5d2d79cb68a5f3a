import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { verify } from "@sitewire/signing"
import { createRandom } from "../../random.ts"
import type { SeenRequest } from "../evidence/evidence.ts"

// The partners: one process, which records every request and is never a target of faults. Until POST /heal,
// the paths /healthy/…, /flaky/…, /hanging/… and /recovering/… behave as their names say. GET /requests
// returns the requests, one JSON a line.
const { CHAOS_SECRET: secret = "", CHAOS_SEED: seed = "0" } = process.env
const random = createRandom(Number(seed))
const seen: SeenRequest[] = []
let healed = false

/**
 * Recovering partners fail and recover alternately. Each period is long enough for circuit breakers to open
 * or close.
 */
const failingMs = 6_000

function behave(kind: string): SeenRequest["status"] {
  if (healed || kind === "healthy") return 204
  if (kind === "recovering") return Math.floor(Date.now() / failingMs) % 2 === 0 ? 503 : 204
  return kind === "hanging" ? "none" : random.pick([204, 204, 500, 503, "reset"] as const)
}

function respond(status: SeenRequest["status"], response: ServerResponse): void {
  if (status === "reset") response.destroy()
  else if (status !== "none") response.writeHead(status).end()
}

function take(request: IncomingMessage, response: ServerResponse): void {
  const [, kind = "", channel = ""] = (request.url ?? "").split("/")
  if (kind === "heal") {
    healed = true
    response.writeHead(204).end()
    return
  }
  if (kind === "requests") {
    response.end(seen.map((entry) => `${JSON.stringify(entry)}\n`).join(""))
    return
  }
  const at = Date.now()
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const body = Buffer.concat(chunks)
    const status = behave(kind)
    seen.push({
      at,
      channel,
      delivery: String(request.headers["x-sitewire-delivery"]),
      number: Number(request.headers["x-sitewire-attempt"]),
      sha256: createHash("sha256").update(body).digest("hex"),
      verified: verify({ body, header: request.headers["x-sitewire-signature"], secrets: [secret] }).valid,
      event: eventOf(body),
      status,
    })
    respond(status, response)
  })
}

/** The publisher puts the event's id into the field `reference`. */
function eventOf(body: Buffer): string {
  try {
    return String((JSON.parse(body.toString()) as { reference?: unknown }).reference)
  } catch {
    return ""
  }
}

/**
 * Each kind has its own origin, because the dispatcher limits connections by origin, and hanging partners
 * would use all connections.
 */
const addresses: Record<string, string> = {}
for (const kind of ["healthy", "flaky", "hanging", "recovering"]) {
  const server = createServer(take)
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  addresses[kind] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
process.send?.({ addresses, ready: true })
process.once("disconnect", () => process.exit(0))
