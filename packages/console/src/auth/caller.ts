import { type Job, type ScopeName, scopeCatalogue, scopeNames } from "@sitewire/contracts"
import type { Allow } from "@sitewire/contracts/routes"

/** Who sends a request: an API key, or a session of the web console. */
export type Caller = {
  /** Id and name of the API key that was sent or that signed in. After OpenID Connect: of the user. */
  keyId: string
  keyName: string
  /** Null: the request contains an API key. */
  sessionId: string | null
  scopes: readonly string[]
  /** Ids of the channels that the key may use in this route. */
  channels: Visible
  /** Sites, by host name, whose connections the key may use in this route. */
  sites: Visible
  /** Ids of connections that the key may use in this route, beside those of `sites`. */
  connections: Visible
  /** Kinds of the jobs that the key may use in this route. */
  jobs: "all" | readonly Job["kind"][]
  /** The key may look up deliveries of all channels by the ids of their events. */
  knowsEvents: boolean
}

type Visible = "all" | readonly string[]

/** What the route shows to a scope. Undefined: the scope does not allow the route. */
export function shownTo(name: ScopeName, allow: Allow): "all" | "own" | undefined {
  return allow[name] ?? (name === "operate" ? allow.read : undefined)
}

/** The caller in texts that are stored, such as a job's `requested_by`. */
export function nameOf({ keyId, keyName }: Pick<Caller, "keyId" | "keyName">): string {
  return `${keyId} (${keyName})`
}

/** Null if none of the key's scopes allows the route. */
export function callerOf(
  key: { id: string; name: string; scopes: readonly string[]; sessionId: string | null },
  allow: Allow,
): Caller | null {
  const { id: keyId, name: keyName, sessionId, scopes } = key
  const allowing = scopeNames.filter((name) => shownTo(name, allow) && holds(scopes, name))
  if (allowing.length === 0) return null
  const isAll = allowing.some((name) => shownTo(name, allow) === "all")
  const own = (name: ScopeName) => (isAll ? "all" : allowing.includes(name) ? subjectsOf(scopes, name) : [])
  return {
    ...{ keyId, keyName, sessionId, scopes },
    channels: own("channel"),
    sites: own("site"),
    connections: own("connection"),
    jobs: isAll ? "all" : allowing.flatMap((name) => jobsOf[name] ?? []),
    knowsEvents: allowing.includes("publisher"),
  }
}

const jobsOf: Partial<Record<ScopeName, Job["kind"][]>> = {
  operate: ["resend", "replay", "reconcile"],
  "personal-data": ["erasure"],
}

function holds(scopes: readonly string[], name: ScopeName): boolean {
  return "of" in scopeCatalogue[name] ? subjectsOf(scopes, name).length > 0 : scopes.includes(name)
}

/** The ids of channels or connections, or the hosts of sites, that the scopes name. */
export function subjectsOf(scopes: readonly string[], name: ScopeName): string[] {
  const prefix = `${name}:`
  return scopes.filter((scope) => scope.startsWith(prefix)).map((scope) => scope.slice(prefix.length))
}

export function sees<Id extends string>(visible: "all" | readonly Id[], id: Id): boolean {
  return visible === "all" || visible.includes(id)
}

/** True for the keys and users of partners, site owners and publishers, and not of whoever runs the installation. */
export function belongsToPartner(scopes: readonly string[]): boolean {
  return !internal.some((name) => scopes.includes(name))
}

const internal: readonly ScopeName[] = ["read", "operate", "personal-data", "admin"]

/** True if the key may change the subject of one of these scopes, or is its own partner's or owner's. */
export function manages({ scopes }: Caller, ...own: string[]): boolean {
  return ["operate", ...own].some((scope) => scopes.includes(scope))
}
