import { parseJson } from "@sitewire/contracts"
import { z } from "zod"
import { reasonOf } from "../logging/reasonOf.ts"
import { type Credential, cacheCredential } from "./cacheCredential.ts"

export type TokenEndpoint = {
  url: string
  clientId: string
  clientSecret: string
  scope?: string | undefined
}

const maxBytes = 64 * 1024
/** Without `expires_in`, nobody knows for how long a token is valid. */
const unknownLifetimeMs = 10_000

const response = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.coerce.number().positive().optional(),
})

/**
 * Returns a function that resolves with an access token, by OAuth's client credentials grant (RFC 6749, 4.4). A token is
 * renewed when a fifth of its lifetime is left, so that an endpoint may be unavailable for that long.
 */
export function readFromTokenEndpoint(endpoint: TokenEndpoint, withinMs = 5_000): () => Promise<string> {
  return cacheCredential(() => requestToken(endpoint, withinMs))
}

async function requestToken(
  { url, clientId, clientSecret, scope }: TokenEndpoint,
  withinMs: number,
): Promise<Credential> {
  const { host } = new URL(url)
  const account = [clientId, clientSecret].map(encodeURIComponent).join(":")
  const request = {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(withinMs),
    headers: {
      accept: "application/json",
      authorization: `Basic ${Buffer.from(account).toString("base64")}`,
    },
    body: new URLSearchParams({ grant_type: "client_credentials", ...(scope && { scope }) }),
  } as const
  const { status, text } = await send(url, request).catch((error: unknown) => {
    throw new Error(`The token endpoint at ${host} could not be used: ${whyFailed(error, withinMs)}.`)
  })
  if (status !== 200) throw rejected(host, status, text)
  const parsed = response.safeParse(parseJson(text))
  if (!parsed.success)
    throw new Error(`The response of the token endpoint at ${host} contains no valid access_token.`)
  const { access_token: value, expires_in: seconds } = parsed.data
  const validForMs = seconds === undefined ? unknownLifetimeMs : seconds * 1_000
  // A Kafka client that logs in again does so 10 s before the end of its token, and needs a new one by then.
  const reuseForMs = Math.min(validForMs * 0.8, validForMs - 30_000)
  return { value, reuseForMs: seconds === undefined ? validForMs : reuseForMs, validForMs }
}

async function send(url: string, request: RequestInit): Promise<{ status: number; text: string }> {
  const { status, body } = await fetch(url, request)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error(`the response has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return { status, text: Buffer.concat(chunks).toString() }
}

function rejected(host: string, status: number, text: string): Error {
  const { error } = z.object({ error: z.string().regex(/^\w{1,60}$/) }).safeParse(parseJson(text)).data ?? {}
  const what = `HTTP ${status}${error === undefined ? "" : `, ${error}`}`
  if (status !== 400 && status !== 401 && status !== 403)
    return new Error(`The token endpoint at ${host} gave no token (${what}).`)
  const advice =
    error === "invalid_scope"
      ? "Correct KAFKA_TOKEN_SCOPE"
      : "Correct KAFKA_USERNAME (the client id) and KAFKA_PASSWORD (the client secret)"
  return new Error(`The token endpoint at ${host} rejected the request (${what}). ${advice}.`)
}

/** The message of `fetch` itself is only "fetch failed". */
function whyFailed(error: unknown, withinMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === "TimeoutError") return `no response within ${withinMs} ms`
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}
