import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createRandom } from "../random.ts"
import type { SeenGet } from "./reconcile.ts"

// The partners' data sources: one process, which records each GET and is never a target of faults. /steady/…
// responds at once, /slow/… within two seconds, and /failing/… fails at random until POST /heal.
const random = createRandom(Number(process.env.CHAOS_SEED ?? "0"))
const seen: SeenGet[] = []
let healed = false

/**
 * The times of a timer's last two ticks, which tell how late a GET may be read. While this process gets no
 * CPU time, GETs wait. After such a pause, the event loop runs timers before it reads. So `last` was after
 * the pause, and `beforeLast` was before it, when the GET had not arrived yet.
 */
let ticks = { last: performance.now(), beforeLast: performance.now() }
setInterval(() => {
  ticks = { last: performance.now(), beforeLast: ticks.last }
}, 5)

const server = createServer((request, response) => {
  const [, kind = "", connection = ""] = (request.url ?? "").split("/")
  if (kind === "heal") {
    healed = true
    response.writeHead(204).end()
    return
  }
  if (kind === "gets") {
    response.end(seen.map((entry) => `${JSON.stringify(entry)}\n`).join(""))
    return
  }
  const seenMs = performance.now()
  seen.push({ connection, at: Date.now(), steadyMs: seenMs, lateMs: seenMs - ticks.beforeLast })
  if (!healed && kind === "failing" && random.next() < 0.3) {
    response.writeHead(500).end()
    return
  }
  const respond = () => response.end(`data of ${connection}, version ${seen.length}`)
  if (!healed && kind === "slow") setTimeout(respond, random.between(0, 2_000))
  else respond()
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.send?.({ addresses: { source }, ready: true })
})
process.once("disconnect", () => process.exit(0))
