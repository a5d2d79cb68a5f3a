import { createServer } from "node:net"

type Request = { wanted: number | undefined; service: string }

/** Ports that this process has picked. The system could choose them again while nothing listens there. */
const picked = new Set<number>()

/**
 * Returns `wanted`, or rejects if it is not free on 127.0.0.1. If `wanted` is 0 or undefined, returns a free
 * port that this process has not picked before.
 */
export async function pickPort(request: Request): Promise<number> {
  let port = await findFree(request)
  while (!request.wanted && picked.has(port)) port = await findFree(request)
  picked.add(port)
  return port
}

function findFree({ wanted, service }: Request): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === "EADDRINUSE"
          ? "another process listens on it"
          : `it cannot be opened (${error.message})`
      const advice = "Free it or choose another port."
      const message = `${service} cannot use port ${wanted} on 127.0.0.1: ${reason}. ${advice}`
      reject(new Error(message, { cause: error }))
    })
    server.listen(wanted ?? 0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
