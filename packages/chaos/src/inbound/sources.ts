import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createRandom } from "../random.ts"
import type { SeenGet } from "./reconcile.ts"

// The partners' data sources: one process that no fault touches, which remembers when each GET came. /steady/… answers
// at once, /slow/… takes up to two seconds, /failing/… fails at random until POST /heal.
const random = createRandom(Number(process.env.CHAOS_SEED ?? "0"))
const seen: SeenGet[] = []
let healed = false

/**
 * A GET that came while this process had no processor is seen late. After such a pause the loop runs its timers first
 * and then reads, so the tick before the last one was before the pause, and the GET had not come then.
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
  const answer = () => response.end(`data of ${connection}, version ${seen.length}`)
  if (!healed && kind === "slow") setTimeout(answer, random.between(0, 2_000))
  else answer()
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.send?.({ addresses: { source }, ready: true })
})
process.once("disconnect", () => process.exit(0))
