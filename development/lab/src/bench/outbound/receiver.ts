import type { RequestListener } from "node:http"
import { announce, serve } from "../../shared/serve.ts"
import { serveTls } from "./tlsPartners.ts"

/** An attempt on a path /fail…. `arrivedAt` is wall-clock time, to be compared with the broker's timestamps. */
type FailArrival = { delivery: string; attempt: number; arrivedAt: number }
/** A request on a path /timed…. `publishedAt` is a time of `clockMs`. */
type Arrival = { publishedAt: number; latencyMs: number }
/** `hanging` counts requests that got no response. */
export type Taken = { arrivals: Arrival[]; hanging: number; failArrivals: FailArrival[] }

/** On /fail…, attempts before this one get status 500, so that each delivery is retried twice. */
const failUntilAttempt = 3
const nothing = (): Taken => ({ arrivals: [], hanging: 0, failArrivals: [] })

// A minimal receiver that responds with 204 and counts its responses. /hang… never responds. /timed… reads the time of
// publishing from the body's `reference` and computes the latency. With CERTIFICATES, the folder of certificates, it is also all partners of the part `tls`.
let count = 0
let taken = nothing()
let hangingNow = 0
/** Responses that wait for a condition, because polling would use CPU time. */
const awaited: { isReached: () => boolean; respond: () => void }[] = []
function respondToReached(): void {
  const at = awaited.findIndex(({ isReached }) => isReached())
  if (at >= 0) awaited.splice(at, 1)[0]?.respond()
}

const handle: RequestListener = (request, response) => {
  const path = request.url ?? ""
  const respondWith = (content: object) => void response.end(JSON.stringify(content))
  const [, command, argument] = /^\/(reached|take|none-hangs)\/?(\d*)$/.exec(path) ?? []
  if (command === "take") {
    respondWith(taken)
    taken = nothing()
    count = 0
    return
  }
  if (command !== undefined) {
    const isReached = () => (command === "reached" ? count >= Number(argument) : hangingNow === 0)
    awaited.push({ isReached, respond: () => respondWith({ count }) })
    return respondToReached()
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
        respondToReached()
      })
      return
    }
    if (timed) {
      const publishedAt = Number(JSON.parse(body).reference)
      taken.arrivals.push({ publishedAt, latencyMs: arrivedAt - publishedAt })
    }
    count += 1
    response.writeHead(attempt !== null && attempt < failUntilAttempt ? 500 : 204).end()
    respondToReached()
  })
}
const { origin } = await serve(handle)
const { CERTIFICATES: folder } = process.env
announce({ receiver: origin, ...(folder !== undefined && (await serveTls(handle, folder))) })
