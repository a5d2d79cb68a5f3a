import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { verify } from "@sitewire/signing"
import { createRandom } from "../../random.ts"
import type { SeenRequest } from "../evidence/evidence.ts"

// The partners: one process that no fault touches, which remembers every request it has seen. /healthy/…, /flaky/…,
// /hanging/… and /recovering/… behave as they are called until POST /heal; GET /requests gives what was seen, one JSON a line.
const { CHAOS_SECRET: secret = "", CHAOS_SEED: seed = "0" } = process.env
const random = createRandom(Number(seed))
const seen: SeenRequest[] = []
let healed = false

/** Half of the time all that recover fail: long enough that breakers open, and then long enough that they close. */
const failingMs = 6_000

function behave(kind: string): SeenRequest["answer"] {
  if (healed || kind === "healthy") return 204
  if (kind === "recovering") return Math.floor(Date.now() / failingMs) % 2 === 0 ? 503 : 204
  return kind === "hanging" ? "none" : random.pick([204, 204, 500, 503, "reset"] as const)
}

function answerWith(answer: SeenRequest["answer"], response: ServerResponse): void {
  if (answer === "reset") response.destroy()
  else if (answer !== "none") response.writeHead(answer).end()
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
    const answer = behave(kind)
    seen.push({
      at,
      channel,
      delivery: String(request.headers["x-sitewire-delivery"]),
      number: Number(request.headers["x-sitewire-attempt"]),
      sha256: createHash("sha256").update(body).digest("hex"),
      verified: verify({ body, header: request.headers["x-sitewire-signature"], secrets: [secret] }).valid,
      event: eventOf(body),
      answer,
    })
    answerWith(answer, response)
  })
}

/** The publisher puts the event's id into the reference. */
function eventOf(body: Buffer): string {
  try {
    return String((JSON.parse(body.toString()) as { reference?: unknown }).reference)
  } catch {
    return ""
  }
}

/** An origin for each kind: the sender bounds its connections by origin, and those that hang would use them up. */
const addresses: Record<string, string> = {}
for (const kind of ["healthy", "flaky", "hanging", "recovering"]) {
  const server = createServer(take)
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  addresses[kind] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
process.send?.({ addresses, ready: true })
process.once("disconnect", () => process.exit(0))
