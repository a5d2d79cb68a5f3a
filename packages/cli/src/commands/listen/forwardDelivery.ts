import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { z } from "zod"
import { describeNetworkError } from "../../errors/describeNetworkError.ts"
import type { Received } from "../../receivers/index.ts"

/** Sitewire waits this long for the whole response, too. */
const timeoutMs = 10_000
const maxResponseBytes = 64 * 1024

export const forwardedSchema = z
  .object({
    /** Null if there was no response; `error` then states why. */
    status: z.int().nullable(),
    ms: z.int(),
    error: z.string().nullable(),
    body: z.string(),
  })
  .meta({ id: "Forwarded" })

export type Forwarded = z.infer<typeof forwardedSchema>

/** Headers of one connection. All others are forwarded, because the signature and its time are in them. */
const ofConnection = ["host", "connection", "keep-alive", "transfer-encoding", "content-length", "expect"]

/** Sends the same headers and bytes to `target`. Never rejects. Redirects are not followed, as by Sitewire. */
export async function forwardDelivery(target: URL, { method, headers, body }: Received): Promise<Forwarded> {
  const start = performance.now()
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.includes(name))
  const result = (rest: Omit<Forwarded, "ms">) => ({ ...rest, ms: Math.round(performance.now() - start) })
  try {
    const { status, text } = await send(target, {
      method,
      headers: { ...Object.fromEntries(kept), "content-length": String(body.length) },
      body,
    })
    return result({ status, error: null, body: text })
  } catch (error) {
    return result({ status: null, error: describeNetworkError(error), body: "" })
  }
}

type Sent = { method: string; headers: Record<string, string | string[] | undefined>; body: Buffer }

function send(target: URL, { method, headers, body }: Sent): Promise<{ status: number; text: string }> {
  const request = target.protocol === "https:" ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const outgoing = request(target, { method, headers, signal }, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size <= maxResponseBytes) chunks.push(chunk)
      })
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      )
      response.on("error", reject)
    })
    outgoing.on("error", (error) => reject(signal.aborted ? signal.reason : error))
    outgoing.end(body)
  })
}
