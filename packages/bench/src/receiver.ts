import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** An attempt on a /fail… path. `arrivedAt` is the clock on the wall, by which the broker stamps records. */
export type FailArrival = { delivery: string; attempt: number; arrivedAt: number }

/** What /take answers: all since the last one. `hanging` counts the requests that were never answered. */
export type Taken = { latencies: number[]; hanging: number; failArrivals: FailArrival[] }

/** On /fail…, attempts below this are answered 500, and the rest 204: each delivery is retried twice. */
const failUntilAttempt = 3

// A receiver as bare as can be, in a process of its own: answers 204 and counts what it has answered. /hang… never
// answers. On /timed… it reads the time of publishing from the body's reference, so that latencies need one clock and no
// table.
let count = 0
let taken: Taken = { latencies: [], hanging: 0, failArrivals: [] }
let awaited: { count: number; reached: () => void } | null = null
const server = createServer((request, response) => {
  const path = request.url ?? ""
  // Answers once so many have come: a caller that asked again and again would take the time that is measured.
  if (path.startsWith("/reached/")) {
    const reached = () => void response.end(JSON.stringify({ count }))
    awaited = { count: Number(path.slice("/reached/".length)), reached }
    tellWhenReached()
    return
  }
  if (path === "/take") {
    response.end(JSON.stringify(taken))
    taken = { latencies: [], hanging: 0, failArrivals: [] }
    count = 0
    return
  }
  const timed = path.startsWith("/timed")
  const arrivedAt = timed ? performance.timeOrigin + performance.now() : 0
  const attempt = path.startsWith("/fail") ? Number(request.headers["x-sitewire-attempt"]) : null
  if (attempt !== null) {
    const delivery = String(request.headers["x-sitewire-delivery"])
    taken.failArrivals.push({ delivery, attempt, arrivedAt: Date.now() })
  }
  let body = ""
  if (timed) request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
  else request.resume()
  request.on("end", () => {
    if (path.startsWith("/hang")) {
      taken.hanging += 1
      return
    }
    count += 1
    if (timed) taken.latencies.push(arrivedAt - Number(JSON.parse(body).reference))
    response.writeHead(attempt !== null && attempt < failUntilAttempt ? 500 : 204).end()
    tellWhenReached()
  })
})

function tellWhenReached(): void {
  if (awaited === null || count < awaited.count) return
  awaited.reached()
  awaited = null
}

server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  process.send?.({
    addresses: { receiver: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    ready: true,
  })
})
process.once("disconnect", () => process.exit(0))
