import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useEffect } from "react"
import { sessionQuery } from "../api/session.ts"
import { followChanges } from "../api/stream.ts"
import { Failed } from "../parts/Failed.tsx"
import { Loading } from "../parts/Loading.tsx"
import { takeUrl } from "./returnUrl.ts"
import { SignIn } from "./SignIn.tsx"

/** Shows the sign-in page in place of the content, so that the URL stays and the page opens after signing in. */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery)
  const signedIn = data?.kind === "signed in"
  const navigate = useNavigate()
  useEffect(() => (signedIn ? followChanges() : undefined), [signedIn])
  useEffect(() => {
    const url = signedIn ? takeUrl() : null
    if (url !== null) void navigate({ href: url, replace: true })
  }, [signedIn, navigate])
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading />
  return signedIn ? children : <SignIn />
}
