import { setTimeout as sleep } from "node:timers/promises"
import type { Response } from "express"

/** Each needs a socket, and some 20 KB of memory. */
const mostWaiting = 1_000

export type SlowDown = (response: Response) => Promise<void>

/**
 * Delays responses to requests that are rejected because there were too many. Otherwise, a client that repeats them without
 * a pause would use as much CPU time for the rejections as for the requests. If too many wait, the connection is closed
 * instead, after the response.
 */
export function slowDownRejected(ms: number): SlowDown {
  let waiting = 0
  return async (response) => {
    if (waiting >= mostWaiting) {
      response.setHeader("connection", "close")
      return
    }
    waiting++
    await sleep(ms)
    waiting--
  }
}
