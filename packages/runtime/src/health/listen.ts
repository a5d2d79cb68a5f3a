import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * Returns the port, because 0 picks a free one. If the port cannot be used, the error names the variable to
 * change.
 */
export async function listen(server: Server, host: string, port: number, variable: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port, variable)))
    server.listen(port, host, () => resolve())
  })
  return (server.address() as AddressInfo).port
}

function explain(error: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  const remedy = `Set ${variable} to another port, or to 0 for a free one.`
  if (error.code === "EADDRINUSE")
    return new Error(`Port ${port} on ${host} is in use by another process. ${remedy}`)
  if (error.code === "EACCES")
    return new Error(`Port ${port} on ${host} may not be used by this account. ${remedy}`)
  return new Error(`Cannot listen on ${host}:${port}: ${error.message}. ${remedy}`, { cause: error })
}
