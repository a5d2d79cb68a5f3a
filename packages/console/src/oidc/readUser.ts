import { scopeSchema } from "@sitewire/contracts"
import type { User } from "../session/sessions.ts"

export type ClaimOfScopes = {
  scopesClaim: string
  /** The claim lists groups, which have these scopes. Undefined: it lists scopes. */
  groupScopes?: Record<string, string[]> | undefined
}

/**
 * Reads the scopes, ignoring values that are no scope, because such a claim often lists groups of other applications,
 * too. Null: there is none. The name is stored in the audit log, so it must not be an e-mail address.
 */
export function readUser(
  id: string,
  claims: Record<string, unknown>,
  { scopesClaim, groupScopes }: ClaimOfScopes,
): User | null {
  const claim = claims[scopesClaim]
  const listed: unknown[] = typeof claim === "string" ? claim.split(" ") : Array.isArray(claim) ? claim : []
  const scopesOf = (value: unknown) => {
    if (groupScopes === undefined) return scopeSchema.safeParse(value).data ?? []
    return typeof value === "string" && Object.hasOwn(groupScopes, value) ? (groupScopes[value] ?? []) : []
  }
  const scopes = listed.flatMap(scopesOf).slice(0, 50)
  if (scopes.length === 0) return null
  const name = [claims.name, claims.sub].find(isName) ?? id
  return { id, name: name.slice(0, 100), scopes: [...new Set(scopes)] }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[^@\p{Cc}]*[^@\s\p{Cc}][^@\p{Cc}]*$/u.test(value)
}
