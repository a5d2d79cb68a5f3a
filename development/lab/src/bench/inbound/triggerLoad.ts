import { connect } from "node:net"
import { percentile } from "../../shared/percentile.ts"

/**
 * A message of the parent process. The paths contain tokens, so they must not be arguments of this process:
 * every account of the machine can read those.
 */
export type Load = {
  port: number
  paths: string[]
  clients: number
  seconds: number
  /** Requests/s, evenly spaced. Null: each client sends its next request after each response. */
  perSecond: number | null
}
export type LoadResult = { accepted: number; other: number; perSecond: number; p99Ms: number }

const warmUpMs = 1_500
const headEnd = Buffer.from("\r\n\r\n")
const accepted = Buffer.from("HTTP/1.1 202")

// The clients are bare sockets, because an HTTP client would use more CPU time than the server.
process.on("message", async (load: Load) => {
  const result = await run(load)
  // Exits explicitly, because the open sockets would keep the process running.
  process.send?.({ result }, undefined, {}, () => process.exit(0))
})

async function run({ port, paths, clients, seconds, perSecond }: Load): Promise<LoadResult> {
  const requests = paths.map((path) =>
    Buffer.from(`POST ${path} HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\n\r\n`),
  )
  const latenciesMs: number[] = []
  let counting = false
  let next = 0
  let good = 0
  let other = 0
  const idle: (() => void)[] = []
  for (let at = 0; at < clients; at++) {
    const socket = connect(port, "127.0.0.1").setNoDelay()
    let sentAt = 0
    const send = () => {
      sentAt = performance.now()
      socket.write(requests[next++ % requests.length] ?? "")
    }
    socket.on("connect", () => (perSecond === null ? send() : idle.push(send)))
    socket.on("data", (data: Buffer) => {
      if (data.indexOf(headEnd) < 0) return
      if (counting) {
        if (data.subarray(0, accepted.length).equals(accepted)) good += 1
        else other += 1
        latenciesMs.push(performance.now() - sentAt)
      }
      if (perSecond === null) send()
      else idle.push(send)
    })
    socket.on("error", () => {
      other += 1
    })
  }
  let due = 0
  const startedAt = performance.now()
  const pace =
    perSecond !== null &&
    setInterval(() => {
      const wanted = ((performance.now() - startedAt) / 1_000) * perSecond
      for (; due < wanted; due++) idle.shift()?.()
    }, 1)
  await new Promise((resolve) => setTimeout(resolve, warmUpMs))
  counting = true
  const countedFrom = performance.now()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  counting = false
  const elapsed = (performance.now() - countedFrom) / 1_000
  if (pace) clearInterval(pace)
  return { accepted: good, other, perSecond: good / elapsed, p99Ms: percentile(latenciesMs, 0.99) }
}
