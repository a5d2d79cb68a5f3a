import { useQuery } from "@tanstack/react-query"
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react"
import { type Access, accessOf } from "../api/access.ts"
import { isSameUser, sessionQuery } from "../api/session.ts"
import { followChanges } from "../api/stream.ts"
import { Failed } from "../parts/Failed.tsx"
import { Loading } from "../parts/Loading.tsx"
import { toast } from "../parts/Toasts.tsx"
import { texts } from "../texts.ts"

const SignIn = lazy(() => import("./SignIn.tsx").then(({ SignIn: component }) => ({ default: component })))

const followsChanges = ({ reads, channels, sites, connections }: Access) =>
  reads || channels.length + sites.length + connections.length > 0

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
      toast(texts.shell.otherSession(session.name))
    shown.current = session
  }, [session])

  if (error && !data) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading />
  if (session) return children
  return (
    <Suspense fallback={<Loading />}>
      <SignIn />
    </Suspense>
  )
}
