import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"

/** A proxy to Postgres that can delay all its responses. */
export async function startSlowProxy(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  let delayMs = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.pipe(far)
    let sendAt = 0
    far.on("data", (bytes) => {
      // Never before what came earlier, when the delay ends.
      sendAt = Math.max(sendAt, Date.now() + delayMs)
      if (sendAt <= Date.now()) near.write(bytes)
      else setTimeout(() => near.write(bytes), sendAt - Date.now())
    })
    for (const socket of [near, far])
      socket
        .on("error", () => {})
        .on("close", () => {
          near.destroy()
          far.destroy()
        })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const own = new URL(databaseUrl)
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: own.href,
    delay(ms: number): void {
      delayMs = ms
    },
    close: () => void server.close(),
  }
}
