import { queryOptions } from "@tanstack/react-query"
import { setCsrfToken, whenSessionEnds } from "./client.ts"
import { ApiFailure, failureOf } from "./failure.ts"
import { queryClient } from "./queryClient.ts"

type SignIn = { key: true; oidc: boolean }

export type Session = {
  name: string
  scopes: string[]
  expires_at: string
  csrf_token: string
  sign_in: SignIn
}

/** `ended`: there was a session, so the page says why it asks again. */
type SignedOut = { kind: "signed out"; oidc: boolean; ended: boolean }
type SessionState = { kind: "signed in"; session: Session } | SignedOut

const queryKey = ["session"]

export const sessionQuery = queryOptions({
  queryKey,
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

async function readSession(): Promise<SessionState> {
  const response = await request("GET")
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) return begin(body as Session)
  if (response.status === 401) {
    const oidc = (body as { sign_in?: SignIn } | null)?.sign_in?.oidc ?? false
    return { kind: "signed out", oidc, ended: isSignedIn() }
  }
  throw failureOf(response, body)
}

export async function signIn(credential: { key: string } | { link: string }): Promise<void> {
  // Otherwise the answer to an earlier question could arrive afterwards, and end the new session.
  await queryClient.cancelQueries({ queryKey })
  const response = await request("POST", credential)
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw failureOf(response, body)
  removeOthers()
  remember(begin(body as Session))
}

export async function signOut(): Promise<void> {
  const response = await request("DELETE")
  if (!response.ok && response.status !== 401)
    throw failureOf(response, await response.json().catch(() => null))
  forget(false)
}

function remember(state: SessionState): void {
  queryClient.setQueryData(queryKey, state)
}

/** Removes everything that the last session has read. */
function forget(ended: boolean): void {
  const before = queryClient.getQueryData<SessionState>(queryKey)
  const oidc = before?.kind === "signed in" ? before.session.sign_in.oidc : (before?.oidc ?? false)
  setCsrfToken("")
  remember({ kind: "signed out", oidc, ended })
  removeOthers()
}

function removeOthers(): void {
  queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== queryKey[0] })
}

whenSessionEnds(() => {
  if (isSignedIn()) forget(true)
})

function isSignedIn(): boolean {
  return queryClient.getQueryData<SessionState>(queryKey)?.kind === "signed in"
}

function begin(session: Session): SessionState {
  setCsrfToken(session.csrf_token)
  return { kind: "signed in", session }
}

async function request(method: string, body?: object): Promise<Response> {
  const state = queryClient.getQueryData<SessionState>(queryKey)
  const token = state?.kind === "signed in" ? state.session.csrf_token : ""
  try {
    return await fetch("/session", {
      method,
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
