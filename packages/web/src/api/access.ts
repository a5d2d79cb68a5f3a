import { useSuspenseQuery } from "@tanstack/react-query"
import { type Session, sessionQuery } from "./session.ts"

/** What the page shows. The API decides for itself what a session may do. */
export type Access = {
  /** Reads everything. */
  reads: boolean
  /** Changes everything. */
  operates: boolean
  /** Ids of the channels that the scopes name. */
  channels: string[]
  /** Hosts of the sites that the scopes name. */
  sites: string[]
}

export function accessOf({ scopes }: Pick<Session, "scopes">): Access {
  const operates = scopes.includes("operate")
  return {
    operates,
    reads: operates || scopes.includes("read"),
    channels: idsOf(scopes, "channel:"),
    sites: idsOf(scopes, "site:"),
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
  /** Resends, reveals, tests, certifies and rotates secrets of this channel. */
  managesChannel: (id: string) => boolean
  managesSite: (host: string) => boolean
} {
  const access = accessOf(useSession())
  return {
    ...access,
    managesChannel: (id) => access.operates || access.channels.includes(id),
    managesSite: (host) => access.operates || access.sites.includes(host),
  }
}
