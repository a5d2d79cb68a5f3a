import { Navigate } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { navigationOf } from "../../app/navigation.ts"
import { Empty } from "../../parts/Page.tsx"
import { Overview } from "./Overview.tsx"

/** The first page of each view: the overview, the partner's channel, or the first that the session may open. */
export function Home() {
  const access = useAccess()
  const { reads, channels } = access
  if (reads) return <Overview />
  const [channel, ...others] = channels
  if (channel !== undefined && others.length === 0)
    return <Navigate to="/channels/$id" params={{ id: channel }} replace />
  if (channel !== undefined) return <Navigate to="/channels" replace />
  const first = navigationOf(access)[0]?.[0]
  if (first) return <Navigate to={first.to} replace />
  return (
    <Empty title="Your key shows nothing here">
      Ask an operator for a key with a scope such as channel:acme or site:bakery.example.
    </Empty>
  )
}
