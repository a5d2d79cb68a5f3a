import { type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { isAccepted, type TestResponse } from "../src/certification/index.ts"

const excerptBytes = 1_024
/** How long the beginning of the response's body is waited for, after its head. */
const excerptMs = 250

type Delivery = { headers: Record<string, string>; body: Buffer; timeoutMs: number }
type Posted = Omit<TestResponse["response"], "delivery"> & { excerpt: string | null }

/** Never rejects. Redirects are not followed, as by Sitewire. The time limit ends with the head of the response. */
export function postDelivery(url: URL, { headers, body, timeoutMs }: Delivery): Promise<Posted> {
  const startedAt = performance.now()
  const request = url.protocol === "https:" ? requestHttps : requestHttp
  const { promise, resolve } = withResolvers<Posted>()
  const outgoing = request(url, {
    method: "POST",
    headers: { ...headers, "content-length": body.length },
    // A connection of its own: a receiver that closes idle ones does not fail because of it.
    agent: false,
  })
  const timer = setTimeout(() => {
    failed("timeout", `nothing came within ${timeoutMs / 1_000} s`)
    outgoing.destroy()
  }, timeoutMs)
  const settle = (posted: Omit<Posted, "duration_ms">, duration_ms: number) => {
    clearTimeout(timer)
    resolve({ ...posted, duration_ms })
  }
  const failed = (error: Posted["error"], detail: string) =>
    settle({ status: null, error, detail, excerpt: null }, performance.now() - startedAt)
  outgoing.on("error", (error) => failed(...classify(error)))
  outgoing.on("response", async (response) => {
    clearTimeout(timer)
    const durationMs = performance.now() - startedAt
    const status = response.statusCode ?? 0
    const excerpt = await readExcerpt(response)
    const redirects = status >= 300 && status <= 399
    settle(
      {
        status,
        error: isAccepted(status) ? null : "status",
        detail: redirects ? "redirects are not followed" : null,
        excerpt: excerpt === "" ? null : excerpt,
      },
      durationMs,
    )
    outgoing.destroy()
  })
  outgoing.end(body)
  return promise
}

function readExcerpt(response: IncomingMessage): Promise<string> {
  const { promise, resolve } = withResolvers<string>()
  let excerpt = Buffer.alloc(0)
  const end = () => {
    clearTimeout(timer)
    resolve(excerpt.toString("utf8"))
  }
  const timer = setTimeout(end, excerptMs)
  response.on("data", (chunk: Buffer) => {
    excerpt = Buffer.concat([excerpt, chunk]).subarray(0, excerptBytes)
    if (excerpt.length === excerptBytes) end()
  })
  response.on("close", end)
  response.on("error", end)
  return promise
}

/** By the code only, because a message can quote the URL. */
function classify(error: NodeJS.ErrnoException): [error: Posted["error"], detail: string] {
  const { code = "no code" } = error
  if (code === "ECONNREFUSED")
    return ["connect", "nothing listens there: start your receiver, and check the port"]
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return ["dns", `its name cannot be resolved (${code})`]
  if (/^E(HOSTUNREACH|NETUNREACH|TIMEDOUT|ADDRNOTAVAIL)$/.test(code)) return ["connect", code]
  if (code.startsWith("HPE_")) return ["protocol", `it did not respond in HTTP/1.1 (${code})`]
  if (code === "ECONNRESET" || code === "EPIPE")
    return ["reset", "it closed the connection before it responded"]
  if (/CERT|SSL|TLS|EPROTO|UNABLE_TO/.test(code)) return ["tls", `the TLS handshake failed (${code})`]
  return ["reset", code]
}

/** As of `Promise`, which Node 20 does not have. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
