import { queryOptions } from "@tanstack/react-query"
import { setCsrfToken, whenSessionChanges } from "./client.ts"
import { ApiFailure, failureOf, hasCode } from "./failure.ts"
import { queryClient } from "./queryClient.ts"

type SignIn = { key: boolean; oidc: boolean }

export type Session = {
  name: string
  scopes: string[]
  expires_at: string
  csrf_token: string
  sign_in: SignIn
}

/** `ended`: there was a session, so the page says why it asks again. */
type SignedOut = { kind: "signed out"; methods: SignIn; ended: boolean }
type SessionState = { kind: "signed in"; session: Session } | SignedOut

const queryKey = ["session"]

export const sessionQuery = queryOptions({
  queryKey,
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  // Another tab may have begun another session, or ended it.
  refetchOnWindowFocus: "always",
  refetchInterval: ({ state: { data } }) => (data ? false : 5_000),
})

async function readSession(): Promise<SessionState> {
  const response = await request("GET")
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) return begin(body as Session)
  if (response.status === 401) {
    const methods = (body as { sign_in?: SignIn } | null)?.sign_in ?? { key: true, oidc: false }
    const before = current()
    return { kind: "signed out", methods, ended: before?.kind === "signed in" || (before?.ended ?? false) }
  }
  throw failureOf(response, body)
}

export async function signIn(credential: { key: string } | { link: string }): Promise<void> {
  await cancelRead()
  const response = await request("POST", credential)
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw failureOf(response, body)
  await cancelRead()
  removeOthers()
  remember(begin(body as Session))
}

/** As whom a link signs in. The link remains. */
export async function readLink(link: string): Promise<{ name: string; scopes: string[] }> {
  const response = await request("POST", { link }, "/session/link")
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw failureOf(response, body)
  return body as { name: string; scopes: string[] }
}

export async function signOut(): Promise<void> {
  const response = await request("DELETE")
  if (response.ok || response.status === 401) {
    await cancelRead()
    return forget(false)
  }
  const failure = failureOf(response, await response.json().catch(() => null))
  if (hasCode(failure, "invalid-csrf-token")) readAgain()
  throw failure
}

/** Otherwise the response to an earlier request could arrive afterwards, and undo what follows. */
function cancelRead(): Promise<void> {
  return queryClient.cancelQueries({ queryKey })
}

function remember(state: SessionState): void {
  queryClient.setQueryData(queryKey, state)
}

/** Removes everything that the last session has read. */
function forget(ended: boolean): void {
  const before = current()
  const methods =
    before?.kind === "signed in" ? before.session.sign_in : (before?.methods ?? { key: true, oidc: false })
  setCsrfToken("")
  remember({ kind: "signed out", methods, ended })
  removeOthers()
}

function removeOthers(): void {
  queryClient.removeQueries({ predicate: isNotSession })
}

/** Also of a query that by mistake has no key: an exception would stop all live updates. */
export const isNotSession = (query: { queryKey?: readonly unknown[] }) => query.queryKey?.[0] !== queryKey[0]

whenSessionChanges((change) => {
  if (current()?.kind !== "signed in") return
  if (change === "ended") forget(true)
  else readAgain()
})

function readAgain(): void {
  void queryClient.invalidateQueries({ queryKey })
}

function current(): SessionState | undefined {
  return queryClient.getQueryData(queryKey)
}

function begin(session: Session): SessionState {
  const before = current()
  setCsrfToken(session.csrf_token)
  if (before?.kind === "signed in" && !isSameUser(before.session, session))
    void queryClient.resetQueries({ predicate: isNotSession })
  return { kind: "signed in", session }
}

export function isSameUser(one: Session, other: Session): boolean {
  return one.name === other.name && one.scopes.join() === other.scopes.join()
}

async function request(method: string, body?: object, path = "/session"): Promise<Response> {
  const state = current()
  const token = state?.kind === "signed in" ? state.session.csrf_token : ""
  try {
    return await fetch(path, {
      method,
      // The console waits longer for a database that hangs, and would not see that it has recovered.
      ...(method === "GET" && { signal: AbortSignal.timeout(5_000) }),
      headers: {
        accept: "application/json",
        ...(body ? { "content-type": "application/json" } : {}),
        ...(method === "DELETE" ? { "X-CSRF-Token": token } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  } catch (cause) {
    throw new ApiFailure(null, { cause })
  }
}
