import type { Access } from "../api/access.ts"
import type { IconName } from "../parts/Icon.tsx"
import { texts } from "../texts.ts"

type Entry = { to: string; label: string; icon: IconName; exact?: boolean }

/** The pages that a session may open, in groups. */
export function navigationOf(access: Access): Entry[][] {
  const t = texts.pages
  const { reads, erases, administers, readsInvalidEvents, channels, sites, connections } = access
  const isPartner = reads || channels.length > 0
  const isOwner = reads || sites.length > 0 || connections.length > 0
  const groups: (Entry | false)[][] = [
    [
      reads && { to: "/", label: t.overview, icon: "overview", exact: true },
      isPartner && { to: "/deliveries", label: t.deliveries, icon: "delivery" },
      isPartner && { to: "/channels", label: t.channels, icon: "channel" },
      isOwner && { to: "/connections", label: t.connections, icon: "connection" },
    ],
    [
      readsInvalidEvents && { to: "/invalid-events", label: t.invalidEvents, icon: "invalid" },
      (reads || erases) && { to: "/jobs", label: t.jobs, icon: "job" },
    ],
    [
      administers && { to: "/keys", label: t.keys, icon: "key" },
      administers && { to: "/audit", label: t.audit, icon: "audit" },
    ],
  ]
  return groups.map((group) => group.filter((entry) => entry !== false)).filter((group) => group.length > 0)
}
