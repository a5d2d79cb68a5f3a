import { useQuery } from "@tanstack/react-query"
import { lazy, type ReactNode, Suspense, useEffect } from "react"
import { sessionQuery } from "../api/session.ts"
import { followChanges } from "../api/stream.ts"
import { Failed } from "../parts/Failed.tsx"
import { Loading } from "../parts/Loading.tsx"

const SignIn = lazy(() => import("./SignIn.tsx").then(({ SignIn: component }) => ({ default: component })))

/** Shows the sign-in page in place of the content, so that the URL stays and the page opens after signing in. */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery)
  const signedIn = data?.kind === "signed in"
  useEffect(() => (signedIn ? followChanges() : undefined), [signedIn])
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading />
  if (signedIn) return children
  return (
    <Suspense fallback={<Loading />}>
      <SignIn />
    </Suspense>
  )
}
