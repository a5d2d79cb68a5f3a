import { shownTo } from "@sitewire/console"
import { formOfScope, scopeCatalogue, scopeNames } from "@sitewire/contracts"
import { type Route, routes } from "@sitewire/contracts/routes"
import { markdownTable } from "./markdownTable.ts"

/** A test of the console holds its second table against the responses of every route. */
export function scopesPage(): string {
  const scopes = scopeNames.map((name) => [
    formOfScope(name),
    scopeCatalogue[name].for,
    scopeCatalogue[name].allows,
  ])
  const rows = Object.values<Route>(routes).flatMap(({ method, path, allow }) =>
    allow === "anyone"
      ? []
      : [[`\`${method.toUpperCase()} ${path}\``, ...scopeNames.map((name) => shownTo(name, allow) ?? "–")]],
  )
  return [
    "# Scopes",
    "What an API key, or a user of OpenID Connect, may do. A key has one or more scopes, and its rights are those of all of them together.",
    markdownTable(["scope", "for", "allows to"], scopes),
    "`admin` can create keys with any scope, and so give itself all others: the audit log shows it.",
    "## Routes",
    "`all`: the scope shows or changes everything that the route can. `own`: only the channel, site or connection that the scope names; of jobs, `personal-data` its erasures and `operate` all others; of deliveries, `publisher` that of an `event_id`; of keys, the key of the request. `–`: 403. What a key may not see gets the same 404 as what does not exist, and is not in lists.",
    markdownTable(["route", ...scopeNames.map((name) => `\`${name}\``)], rows),
  ].join("\n\n")
}
