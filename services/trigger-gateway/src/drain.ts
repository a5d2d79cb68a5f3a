import type { Server } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * Ends a server that is no longer ready: takes requests for `delayMs` more, until no balancer sends any, then stops
 * listening and waits for what is in flight. After `answerMs`, in which every whole request has its answer, the
 * connections that are left have sent only parts of one, and are cut. What still connects at the moment of the close is
 * reset by the kernel, which is why the delay must outlast the balancer.
 */
export async function drain(settings: {
  server: Server
  delayMs: number
  answerMs: number
  deadlineMs: number
}): Promise<void> {
  const { server, delayMs, answerMs, deadlineMs } = settings
  const startedAt = performance.now()
  await sleep(Math.min(delayMs, Math.max(0, deadlineMs - answerMs - 2_000)))
  const leftMs = deadlineMs - (performance.now() - startedAt)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const timer = setTimeout(() => server.closeAllConnections(), Math.min(answerMs + 1_000, leftMs - 1_000))
  await closed
  clearTimeout(timer)
}
