import { type Config, ConfigurationError } from "@sitewire/runtime"
import type { consoleVariables } from "../config.ts"
import { type OpenIdProvider, openIdProvider } from "./openIdProvider.ts"

type OpenIdConfig = Pick<
  Config<typeof consoleVariables>,
  | "OIDC_ISSUER"
  | "OIDC_CLIENT_ID"
  | "OIDC_CLIENT_SECRET"
  | "OIDC_SCOPES_CLAIM"
  | "OIDC_GROUP_SCOPES"
  | "SIGN_IN_WITH_KEY"
>

/** Null: OpenID Connect is not configured. */
export function readProvider(config: OpenIdConfig): OpenIdProvider | null {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_SCOPES_CLAIM: scopesClaim,
    OIDC_GROUP_SCOPES: groupScopes,
  } = config
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    if (config.SIGN_IN_WITH_KEY) return null
    throw new ConfigurationError(
      "The configuration is wrong: with SIGN_IN_WITH_KEY=false, nobody can sign in without OIDC_ISSUER.",
    )
  }
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    throw new ConfigurationError(
      "The configuration is wrong: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together.",
    )
  }
  return openIdProvider({ issuer, clientId, clientSecret, scopesClaim, groupScopes })
}
