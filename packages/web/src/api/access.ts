import { useSuspenseQuery } from "@tanstack/react-query"
import { type Session, sessionQuery } from "./session.ts"

/** What the page shows. The API decides for itself what a session may do. */
export type Access = {
  reads: boolean
  /** Changes channels, connections and deliveries. */
  operates: boolean
  /** Reveals and erases personal data. */
  erases: boolean
  /** Creates keys, and reads the audit log. */
  administers: boolean
  readsInvalidEvents: boolean
  /** What the scopes name: ids of channels and connections, and hosts of sites. */
  channels: string[]
  sites: string[]
  connections: string[]
}

export function accessOf({ scopes }: Pick<Session, "scopes">): Access {
  const operates = scopes.includes("operate")
  const reads = operates || scopes.includes("read")
  return {
    operates,
    reads,
    erases: scopes.includes("personal-data"),
    administers: scopes.includes("admin"),
    readsInvalidEvents: reads || scopes.includes("publisher"),
    channels: idsOf(scopes, "channel:"),
    sites: idsOf(scopes, "site:"),
    connections: idsOf(scopes, "connection:"),
  }
}

function idsOf(scopes: string[], prefix: string): string[] {
  return scopes.filter((scope) => scope.startsWith(prefix)).map((scope) => scope.slice(prefix.length))
}

export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data.kind !== "signed in") throw new Error("This part of the page needs a session")
  return data.session
}

export function useAccess(): Access & {
  /** Resends, tests, certifies and rotates secrets of this channel. */
  managesChannel: (id: string) => boolean
  /** Reveals the bodies of this channel's deliveries. */
  revealsOf: (channel: string) => boolean
  managesSite: (host: string) => boolean
  /** Reads the content of this site's connections. */
  readsContentOf: (host: string) => boolean
} {
  const access = accessOf(useSession())
  return {
    ...access,
    managesChannel: (id) => access.operates || access.channels.includes(id),
    revealsOf: (channel) => access.erases || access.channels.includes(channel),
    readsContentOf: (host) => access.reads || access.sites.includes(host),
    managesSite: (host) => access.operates || access.sites.includes(host),
  }
}
