import createClient, { type Middleware } from "openapi-fetch"
import { ApiFailure, failureOf } from "./failure.ts"
import type { components, paths } from "./schema.ts"

export type Schemas = components["schemas"]

let csrfToken = ""
let onSessionEnd = () => {}

/** Called when a session begins. Each write must repeat its token. */
export function setCsrfToken(token: string): void {
  csrfToken = token
}

export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener
}

const session: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET") request.headers.set("X-CSRF-Token", csrfToken)
    return request
  },
  onResponse({ response }) {
    if (response.status === 401) onSessionEnd()
    return undefined
  },
}

export const api = createClient<paths>({ baseUrl: "/", credentials: "same-origin" })
api.use(session)

type Outcome<Data> = { data?: Data; error?: unknown; response: Response }

/** The body of a successful response. Rejects with an ApiFailure otherwise. */
export async function bodyOf<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause
    throw new ApiFailure(null, { cause })
  })
  if (!response.ok) throw failureOf(response, error)
  return data as Data
}
