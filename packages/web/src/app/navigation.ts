import type { Access } from "../api/access.ts"
import type { IconName } from "../parts/Icon.tsx"
import { pageNames } from "../words.ts"

type Entry = { to: string; label: string; icon: IconName; exact?: boolean }

/** The pages that a session may open, in groups. */
export function navigationOf(access: Access): Entry[][] {
  const { reads, erases, administers, readsInvalidEvents, channels, sites, connections } = access
  const isPartner = reads || channels.length > 0
  const isOwner = reads || sites.length > 0 || connections.length > 0
  const groups: (Entry | false)[][] = [
    [
      reads && { to: "/", label: pageNames.overview, icon: "overview", exact: true },
      isPartner && { to: "/deliveries", label: pageNames.deliveries, icon: "delivery" },
      isPartner && { to: "/channels", label: pageNames.channels, icon: "channel" },
      isOwner && { to: "/connections", label: pageNames.connections, icon: "connection" },
    ],
    [
      readsInvalidEvents && { to: "/invalid-events", label: pageNames.invalidEvents, icon: "invalid" },
      (reads || erases) && { to: "/jobs", label: pageNames.jobs, icon: "job" },
    ],
    [
      administers && { to: "/keys", label: pageNames.keys, icon: "key" },
      administers && { to: "/audit", label: pageNames.audit, icon: "audit" },
    ],
  ]
  return groups.map((group) => group.filter((entry) => entry !== false)).filter((group) => group.length > 0)
}
