import { createServer } from "node:net"

/** `wanted` if it is free on 127.0.0.1, or any free port for 0 and undefined. */
export async function pickPort({ wanted, service }: { wanted: number | undefined; service: string }) {
  return new Promise<number>((resolve, reject) => {
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
