import createClient, { type Client, type Middleware } from "openapi-fetch"
import { ApiFailure, failureOf, hasCode } from "./failure.ts"
import type { components, paths } from "./schema.ts"

export type Schemas = components["schemas"]
/** Sends a POST. */
export type Post = Client<paths>["POST"]

let csrfToken = ""
let onSessionChange: (change: "ended" | "replaced") => void = () => {}

/** Called when a session begins. Each write must repeat its token. */
export function setCsrfToken(token: string): void {
  csrfToken = token
}

/** `replaced`: another tab has begun another session. */
export function whenSessionChanges(listener: typeof onSessionChange): void {
  onSessionChange = listener
}

const session: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET") request.headers.set("X-CSRF-Token", csrfToken)
    return request
  },
  onResponse({ request, response }) {
    const isOfSession = !request.headers.has("authorization")
    if (response.status === 401 && isOfSession) onSessionChange("ended")
    return undefined
  },
}

export function connect(...more: Middleware[]): Client<paths> {
  const client = createClient<paths>({ baseUrl: "/", credentials: "same-origin" })
  client.use(session, ...more)
  return client
}

const client = connect()
/** Without POST, which `useWrite` sends with an Idempotency-Key. */
export const api: Omit<Client<paths>, "POST" | "request"> = client
/** For dry runs, which write nothing. */
export const postDryRun: Post = client.POST

type Outcome<Data> = { data?: Data; error?: unknown; response: Response }

/** The body of a successful response. Rejects with an ApiFailure otherwise. */
export async function bodyOf<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause
    throw new ApiFailure(null, { cause })
  })
  if (response.ok) return data as Data
  const failure = failureOf(response, error)
  if (hasCode(failure, "invalid-csrf-token")) onSessionChange("replaced")
  throw failure
}

/** A resource with the ETag that a PATCH sends as If-Match. */
export type Versioned<Data> = Data & { etag: string }

export async function versionOf<Data>(call: Promise<Outcome<Data>>): Promise<Versioned<Data>> {
  const body = await bodyOf(call)
  const { response } = await call
  return { ...body, etag: response.headers.get("etag") ?? "*" }
}
