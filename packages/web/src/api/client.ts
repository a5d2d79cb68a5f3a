import { type ClientRequest, type Client as ClientWith, createClient } from "@sitewire/contracts/client"
import { type Operation, routes } from "@sitewire/contracts/routes"
import { ApiFailure, failureOf, hasCode } from "./failure.ts"
import { queryClient } from "./queryClient.ts"

type RequestOptions = {
  signal?: AbortSignal
  /** The ETag of a resource that a PATCH changes. */
  ifMatch?: string
  /** Instead of the session's cookie. */
  authorization?: string
  idempotencyKey?: string
}

type Client = ClientWith<RequestOptions>
type PostOperation = {
  [Name in Operation]: (typeof routes)[Name]["method"] extends "post" ? Name : never
}[Operation]
export type Post = Pick<Client, PostOperation>

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

/** The body of a successful response. Rejects with an ApiFailure otherwise. */
async function send(request: ClientRequest, options: RequestOptions = {}): Promise<unknown> {
  let reading: Promise<void> | undefined
  const { response, body } = await exchange(request, options)
    .catch((cause: unknown) => {
      if (cause instanceof DOMException && cause.name === "AbortError") throw cause
      throw new ApiFailure(null, { cause })
    })
    .finally(() => {
      reading = readAgain(request, options)
    })
  if (response.ok) return body
  if (response.status === 401 && options.authorization === undefined) onSessionChange("ended")
  const failure = failureOf(response, body)
  if (hasCode(failure, "invalid-csrf-token")) onSessionChange("replaced")
  // The form that shows the conflict offers what is stored now.
  if (response.status === 412) await reading
  throw failure
}

/** Reads again what a write may have changed, also one that was rejected, or whose response was lost. */
function readAgain(
  { method, path }: ClientRequest,
  { idempotencyKey }: RequestOptions,
): Promise<void> | undefined {
  const isDryRun = method === "POST" && idempotencyKey === undefined
  if (method === "GET" || isDryRun) return undefined
  const noun = path.split(/[/?]/)[2]
  // What is deleted is not read again.
  return queryClient.invalidateQueries({ queryKey: method === "DELETE" ? [noun, "list"] : [noun] })
}

async function exchange(
  { method, path, body }: ClientRequest,
  { signal, ifMatch, authorization, idempotencyKey }: RequestOptions,
) {
  const response = await fetch(path, {
    method,
    signal,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "GET" ? {} : { "X-CSRF-Token": csrfToken }),
      ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
    },
  })
  const text = await response.text()
  if (!response.ok) return { response, body: parse(text) }
  const resource: object = JSON.parse(text)
  const etag = response.headers.get("etag")
  return { response, body: etag === null ? resource : { ...resource, etag } }
}

/** Null if it is not JSON: a proxy in front of the console responded. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const client: Client = createClient(routes, send)
/** Without POST, which `useWrite` sends with an Idempotency-Key. */
export const api: Omit<Client, PostOperation> = client
/** For dry runs, which write nothing. */
export const postDryRun: Post = client

/**
 * POSTs with an Idempotency-Key: the same one for a repetition of the same request, until `renewKey` is called.
 */
export function createPost(): { post: Post; renewKey: () => void } {
  let sent: { content: string; key: string } | null = null
  return {
    post: createClient<RequestOptions>(routes, (request, options) => {
      const content = JSON.stringify(request)
      if (sent?.content !== content) sent = { content, key: crypto.randomUUID() }
      return send(request, { ...options, idempotencyKey: sent.key })
    }),
    renewKey() {
      sent = null
    },
  }
}

/** A resource with the ETag that a PATCH sends as If-Match. */
export type Versioned<Data> = Data & { etag: string }

/** `send` has added the ETag. */
export async function versionOf<Data>(call: Promise<Data>): Promise<Versioned<Data>> {
  return { etag: "*", ...(await call) }
}
