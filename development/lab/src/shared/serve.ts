import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** Serves on a free port of the loopback. */
export async function serve(handle: RequestListener, host = "127.0.0.1") {
  const server = createServer(handle)
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { port, origin: `http://127.0.0.1:${port}`, close }
}

/** Reports a helper process's addresses to the process that started it, and ends when that one ends. */
export function announce(addresses: Record<string, string>): void {
  process.send?.({ addresses, ready: true })
  process.once("disconnect", () => process.exit(0))
}
