import { useQuery } from "@tanstack/react-query"
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react"
import { type Access, accessOf } from "../api/access.ts"
import { isSameUser, sessionQuery } from "../api/session.ts"
import { followChanges } from "../api/stream.ts"
import { Failed } from "../parts/Failed.tsx"
import { Loading } from "../parts/Loading.tsx"
import { Notice } from "../parts/Notice.tsx"
import { toast } from "../parts/Toasts.tsx"
import { Logo } from "./Logo.tsx"
import classes from "./Shell.module.css"

const SignIn = lazy(() => import("./SignIn.tsx").then(({ SignIn: component }) => ({ default: component })))

const followsChanges = ({ reads, channels, sites, connections }: Access) =>
  reads || channels.length + sites.length + connections.length > 0

/** The frame, and a sentence as soon as the console takes long. The session is read again until it responds. */
function NoSession({ error, retry }: { error: unknown; retry: () => unknown }) {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 1_000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <main className={classes.noSession}>
      <Logo />
      {isSlow && (
        <Notice
          kind="warn"
          title="The console, or its Postgres, does not respond. The page opens by itself when it does."
        />
      )}
      {error ? <Failed error={error} retry={retry} /> : <Loading />}
    </main>
  )
}

/** Shows the sign-in page in place of the content, so that the URL stays and the page opens after signing in. */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery)
  const session = data?.kind === "signed in" ? data.session : null
  const token = session?.csrf_token
  const follows = session !== null && followsChanges(accessOf(session))
  useEffect(() => (token && follows ? followChanges() : undefined), [token, follows])

  const shown = useRef(session)
  useEffect(() => {
    if (shown.current && session && !isSameUser(shown.current, session))
      toast(
        `You have signed in as ${session.name} in another tab. This page now shows what ${session.name} may see.`,
      )
    shown.current = session
  }, [session])

  if (!data) return <NoSession error={error} retry={refetch} />
  if (session) return children
  return (
    <Suspense fallback={<Loading />}>
      <SignIn />
    </Suspense>
  )
}
