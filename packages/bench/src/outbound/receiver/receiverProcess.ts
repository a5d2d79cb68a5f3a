import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** An attempt on a /fail… path. `arrivedAt` is the clock on the wall, by which the broker stamps records. */
export type FailArrival = { delivery: string; attempt: number; arrivedAt: number }

/** What came on a /timed… path: when it was published, by `clockMs`, and how long it took to arrive. */
export type Arrival = { publishedAt: number; latencyMs: number }

/** What /take answers: all since the last one. `hanging` counts the requests that were never answered. */
export type Taken = { arrivals: Arrival[]; hanging: number; failArrivals: FailArrival[] }

/** On /fail…, attempts below this are answered 500, and the rest 204: each delivery is retried twice. */
const failUntilAttempt = 3

// A receiver as bare as can be, in a process of its own: answers 204 and counts what it has answered. /hang… never
// answers, and /slow-<ms> after so long. On /timed… it reads the time of publishing from the body's reference, so that
// latencies need one clock and no table.
let count = 0
let taken: Taken = nothing()
let awaited: { count: number; reached: () => void } | null = null
/** Requests that hang now, and who wants to know when there are none. */
let hangingNow = 0
let awaitingNone: (() => void) | null = null
const server = createServer((request, response) => {
  const path = request.url ?? ""
  // Answers once so many have come: a caller that asked again and again would take the time that is measured.
  if (path.startsWith("/reached/")) {
    const reached = () => void response.end(JSON.stringify({ count }))
    awaited = { count: Number(path.slice("/reached/".length)), reached }
    reportReached()
    return
  }
  if (path === "/take") {
    response.end(JSON.stringify(taken))
    taken = nothing()
    count = 0
    return
  }
  if (path === "/none-hangs") {
    awaitingNone = () => void response.end("{}")
    reportNone()
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
      hangingNow += 1
      response.on("close", () => {
        hangingNow -= 1
        reportNone()
      })
      return
    }
    if (timed) {
      const publishedAt = Number(JSON.parse(body).reference)
      taken.arrivals.push({ publishedAt, latencyMs: arrivedAt - publishedAt })
    }
    const answer = () => {
      count += 1
      response.writeHead(attempt !== null && attempt < failUntilAttempt ? 500 : 204).end()
      reportReached()
    }
    if (path.startsWith("/slow-")) setTimeout(answer, Number(path.slice("/slow-".length)))
    else answer()
  })
})

function nothing(): Taken {
  return { arrivals: [], hanging: 0, failArrivals: [] }
}

function reportNone(): void {
  if (hangingNow > 0) return
  awaitingNone?.()
  awaitingNone = null
}

function reportReached(): void {
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
