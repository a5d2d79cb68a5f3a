import { setTimeout as sleep } from "node:timers/promises"
import { serve } from "../../shared/serve.ts"

const piece = Buffer.alloc(1024 * 1024, "x")

/**
 * Data sources at as many addresses of the loopback as a bench needs. `/<ms>/<MiB>/…` responds after so many milliseconds with so many
 * MiB, or with 1 kB if that is 0.
 */
export async function startSources() {
  const server = await serve(async ({ url = "" }, response) => {
    const [, ms, mib] = url.split("/")
    await sleep(Number(ms))
    if (mib === "0") return void response.end("x".repeat(1_024))
    for (let sent = 0; sent < Number(mib); sent++)
      if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve))
    response.end()
  }, "0.0.0.0")
  return {
    ...server,
    /** `host`: a number below 65,000, each of which is another address. */
    url: (host: number, { ms = 0, mib = 0 }, id: string) =>
      `http://127.1.${Math.floor(host / 250)}.${1 + (host % 250)}:${server.port}/${ms}/${mib}/${id}`,
  }
}
