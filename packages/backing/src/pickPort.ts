import { createServer } from "node:net"

type Wish = { wanted: number | undefined; service: string }

/** Free when they were picked, and perhaps not listened on yet: the system may offer one of them again. */
const picked = new Set<number>()

/** `wanted` if it is free on 127.0.0.1, or for 0 and undefined any free port that this process has not been given yet. */
export async function pickPort(wish: Wish): Promise<number> {
  let port = await findFree(wish)
  while (!wish.wanted && picked.has(port)) port = await findFree(wish)
  picked.add(port)
  return port
}

function findFree({ wanted, service }: Wish): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === "EADDRINUSE"
          ? "another process listens on it"
          : `it cannot be opened (${error.message})`
      reject(
        new Error(
          `${service} cannot use port ${wanted} on 127.0.0.1: ${reason}. Free it or choose another port.`,
          {
            cause: error,
          },
        ),
      )
    })
    server.listen(wanted ?? 0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
