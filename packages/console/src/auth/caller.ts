/** Who sends a request: an API key, or a session of the web console. */
export type Caller = {
  /** Id and name of the API key that was sent or that signed in. After OpenID Connect: of the user. */
  keyId: string
  keyName: string
  /** Null: the request contains an API key. */
  sessionId: string | null
  /** Ids of the channels that the key may use in this route. */
  channels: Visible
  /** Sites, by host name, whose connections the key may use in this route. */
  sites: Visible
}

type Visible = "all" | readonly string[]

/** The caller in texts that are stored, such as a job's `requested_by`. */
export function nameOf({ keyId, keyName }: Caller): string {
  return `${keyId} (${keyName})`
}

/** The scopes that allow a route. `operate` allows whatever `read` allows. */
export type Permission = "read" | "operate" | "channel" | "site"

/** Null if none of the key's scopes allows the route. */
export function callerOf(
  key: { id: string; name: string; scopes: readonly string[]; sessionId: string | null },
  allowedBy: readonly Permission[],
): Caller | null {
  const { id: keyId, name: keyName, sessionId, scopes } = key
  const own = { keyId, keyName, sessionId }
  const isOperator =
    (allowedBy.includes("read") && scopes.includes("read")) ||
    ((allowedBy.includes("read") || allowedBy.includes("operate")) && scopes.includes("operate"))
  if (isOperator) return { ...own, channels: "all", sites: "all" }
  const channels = allowedBy.includes("channel") ? idsOf(scopes, "channel:") : []
  const sites = allowedBy.includes("site") ? idsOf(scopes, "site:") : []
  return channels.length > 0 || sites.length > 0 ? { ...own, channels, sites } : null
}

function idsOf(scopes: readonly string[], prefix: string): string[] {
  return scopes.filter((scope) => scope.startsWith(prefix)).map((scope) => scope.slice(prefix.length))
}

export function sees(visible: Visible, id: string): boolean {
  return visible === "all" || visible.includes(id)
}

/** For a Prisma filter: matches the visible values only. */
export function onlyVisible(visible: Visible): { in: string[] } | undefined {
  return visible === "all" ? undefined : { in: [...visible] }
}
