import { randomInt } from "node:crypto"
import { createServer } from "node:net"

type Request = { wanted: number | undefined; service: string }

/**
 * Systems choose the ports of outgoing connections, and of servers that ask for any port, from 32,768 on. So nobody takes one of
 * these from a server that is stopped and starts again. `fetch` refuses 10,080.
 */
const own = { from: 10_100, to: 32_000 }

const picked = new Set<number>()

/**
 * Returns `wanted`, or rejects if it is not free on 127.0.0.1. If `wanted` is 0 or undefined, returns a free port that this
 * process has not picked before.
 */
export async function pickPort({ wanted, service }: Request): Promise<number> {
  let error: NodeJS.ErrnoException | undefined
  for (let at = 0; at < (wanted ? 1 : 1_000); at++) {
    const port = wanted || randomInt(own.from, own.to)
    if (!wanted && picked.has(port)) continue
    picked.add(port)
    error = await listenOnce(port)
    if (error === undefined) return port
  }
  const isTaken = error?.code === "EADDRINUSE"
  const reason = isTaken ? "another process listens on it" : `it cannot be opened (${error?.message})`
  const message = `${service} cannot use port ${wanted} on 127.0.0.1: ${reason}. Free it or choose another port.`
  throw new Error(message, { cause: error })
}

/** A port on which nothing listens. */
export const closedPort = () => pickPort({ wanted: 0, service: "nothing" })

/** Returns why nothing can listen on the port, or undefined if it is free. */
function listenOnce(port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer().once("error", resolve)
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)))
  })
}
