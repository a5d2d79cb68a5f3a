import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

// A receiver as bare as can be, in a process of its own: answers 204 and counts. /hang… never answers. It reads the
// time of publishing from the body's reference, so that latencies need one clock and no table.
let count = 0
let latencies: number[] = []
let awaited: { count: number; reached: () => void } | null = null
const server = createServer((request, response) => {
  const path = request.url ?? ""
  // Answers once so many have come: a caller that asked again and again would take the time that is measured.
  if (path.startsWith("/reached/")) {
    const reached = () => void response.end(JSON.stringify({ count }))
    awaited = { count: Number(path.slice("/reached/".length)), reached }
    if (count >= awaited.count) reached()
    return
  }
  if (path === "/take") {
    response.end(JSON.stringify({ latencies }))
    latencies = []
    count = 0
    return
  }
  count += 1
  const timed = path.startsWith("/timed")
  const arrivedAt = timed ? performance.timeOrigin + performance.now() : 0
  let body = ""
  if (timed) request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
  else request.resume()
  request.on("end", () => {
    if (path.startsWith("/hang")) return
    if (timed) latencies.push(arrivedAt - Number(JSON.parse(body).reference))
    response.writeHead(204).end()
    if (count === awaited?.count) awaited.reached()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  process.send?.({
    addresses: { receiver: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    ready: true,
  })
})
process.once("disconnect", () => process.exit(0))
