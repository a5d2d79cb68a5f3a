import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * An attempt on a path /fail…. `arrivedAt` is wall-clock time, to be compared with the broker's timestamps.
 */
export type FailArrival = { delivery: string; attempt: number; arrivedAt: number }

/** A request on a path /timed…. `publishedAt` is a time of `clockMs`. */
export type Arrival = { publishedAt: number; latencyMs: number }

/** `hanging` counts requests that got no response. */
export type Taken = { arrivals: Arrival[]; hanging: number; failArrivals: FailArrival[] }

/** On /fail…, attempts before this one get status 500, so that each delivery is retried twice. */
const failUntilAttempt = 3

// A minimal receiver that responds with 204 and counts its responses. /hang… never responds. /slow-<ms>
// responds after that many milliseconds. /timed… reads the time of publishing from the body's `reference` and
// computes the latency.
let count = 0
let taken: Taken = nothing()
let awaited: { count: number; reached: () => void } | null = null
let hangingNow = 0
let awaitingNone: (() => void) | null = null
const server = createServer((request, response) => {
  const path = request.url ?? ""
  // /reached/<count> responds when there have been that many responses, because polling would use CPU time.
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
    const respond = () => {
      count += 1
      response.writeHead(attempt !== null && attempt < failUntilAttempt ? 500 : 204).end()
      reportReached()
    }
    if (path.startsWith("/slow-")) setTimeout(respond, Number(path.slice("/slow-".length)))
    else respond()
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
