import { Navigate } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { Empty } from "../../parts/Page.tsx"
import { texts } from "../../texts.ts"
import { Overview } from "./Overview.tsx"

/** The first page of each view: the overview, the partner's channel or the owner's connections. */
export function Home() {
  const { reads, channels, sites } = useAccess()
  if (reads) return <Overview />
  const [channel, ...others] = channels
  if (channel !== undefined && others.length === 0)
    return <Navigate to="/channels/$id" params={{ id: channel }} replace />
  if (channel !== undefined) return <Navigate to="/channels" replace />
  if (sites.length > 0) return <Navigate to="/connections" replace />
  return <Empty title={texts.home.nothing}>{texts.home.nothingMore}</Empty>
}
