import { z } from "zod"

/**
 * What API keys and users may do. A scope with `of` names what it is for: a channel, a site or a connection. A key's
 * rights are those of all its scopes together.
 */
export const scopeCatalogue = {
  read: {
    for: "support, dashboards",
    allows:
      "read everything but keys, the audit log, secrets, trigger URLs, the queries of addresses and the bodies of deliveries; the content of connections is included",
  },
  operate: {
    for: "operators",
    allows: "read as `read`, and change channels, connections, deliveries and jobs, but not erasures",
  },
  "personal-data": {
    for: "data protection",
    allows:
      "reveal the bodies of deliveries, see contacts of channels unmasked if another scope reads the channels, erase, and see and cancel erasures",
  },
  admin: {
    for: "administrators",
    allows: "create and revoke keys with any scope, see and end all sessions, and read the audit log",
  },
  publisher: {
    for: "services that publish site.paid",
    allows: "read what became of an event whose id it knows, and the invalid events",
  },
  channel: {
    of: "id",
    for: "a partner's developers",
    allows:
      "read this channel, its deliveries and statistics, resend (several at once if they are dead), reveal bodies (personal data) with their signatures, test, rotate its secret, set its request headers and its contact, switch Standard Webhooks headers, and change its address where an operator allows it",
  },
  site: {
    of: "host",
    for: "a site's owner",
    allows: "this site's connections: read, create, change, sync, replace the token and the secret, delete",
  },
  connection: {
    of: "id",
    for: "the partner that a connection fetches from",
    allows: "read this connection, its windows and its syncs, but not the content",
  },
} as const satisfies Record<string, { of?: string; for: string; allows: string }>

export type ScopeName = keyof typeof scopeCatalogue

export const scopeNames = Object.keys(scopeCatalogue) as ScopeName[]

/** As in a key, such as `channel:<id>`. */
export function formOfScope(name: ScopeName): string {
  const scope: { of?: string; for: string } = scopeCatalogue[name]
  return scope.of === undefined ? name : `${name}:<${scope.of}>`
}

const forms = scopeNames.map(formOfScope)

/** For texts: all scopes, separated by commas. */
export const scopeForms = `${forms.slice(0, -1).join(", ")} or ${forms.at(-1)}`

/** The scopes of whoever runs an installation alone: of the first key, and of the key of `npm start`. */
export const allRoles = ["operate", "personal-data", "admin"] as const

const id = "[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}"

export const scopeSchema = z
  .string()
  .max(260)
  .regex(
    new RegExp(
      `^(read|operate|personal-data|admin|publisher|channel:${id}|connection:${id}|site:[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)$`,
    ),
    `must be ${scopeForms}, such as channel:acme or site:shop.example`,
  )
  .meta({
    description: scopeNames
      .map((name) => `\`${formOfScope(name)}\`: ${scopeCatalogue[name].allows}.`)
      .join(" "),
    examples: ["channel:acme"],
  })
