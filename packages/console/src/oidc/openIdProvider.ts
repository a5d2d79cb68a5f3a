import { sha256 } from "@sitewire/contracts"
import { type Config, ConfigurationError } from "@sitewire/runtime"
import type { ClientAuth, Configuration } from "openid-client"
import type { consoleVariables } from "../config.ts"
import type { User } from "../session/sessions.ts"
import { type ClaimOfScopes, readUser } from "./readUser.ts"

/** What must be equal when the provider sends the user back. */
type Expected = { state: string; nonce: string; codeVerifier: string }

export type OpenIdProvider = {
  /** The provider's page on which the user signs in. */
  begin(redirectUri: string): Promise<{ url: URL; expected: Expected }>
  /** `url`: the URL of this console that the provider sent the user to. Null: the user has no scope. */
  end(url: URL, expected: Expected): Promise<User | null>
}

type Settings = { issuer: string; clientId: string; clientSecret: string } & ClaimOfScopes

const timeoutSeconds = 10

/**
 * A provider of OpenID Connect: authorization code flow with PKCE. The provider is discovered at the first sign-in, so
 * that the console starts without it. Methods reject if it is unavailable or if its response is invalid.
 */
export function openIdProvider(settings: Settings): OpenIdProvider {
  let discovered: Promise<Configuration> | undefined
  function discover(): Promise<Configuration> {
    discovered ??= discoverProvider(settings).catch((error: unknown) => {
      discovered = undefined
      throw error
    })
    return discovered
  }
  return {
    async begin(redirectUri) {
      const client = await import("openid-client")
      const configuration = await discover()
      const expected = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: "openid profile",
        state: expected.state,
        nonce: expected.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(expected.codeVerifier),
        code_challenge_method: "S256",
      })
      return { url, expected }
    },
    async end(url, { state, nonce, codeVerifier }) {
      const client = await import("openid-client")
      const tokens = await client.authorizationCodeGrant(await discover(), url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new Error("the response contains no ID token")
      const id = `usr_${sha256(`${claims.iss}\0${claims.sub}`).toString("hex").slice(0, 20)}`
      return readUser(id, claims, settings)
    },
  }
}

async function discoverProvider({ issuer, clientId, clientSecret }: Settings): Promise<Configuration> {
  const client = await import("openid-client")
  const post = client.ClientSecretPost(clientSecret)
  const basic = client.ClientSecretBasic(clientSecret)
  // Basic is the default of providers that enforce the method with which a client is registered.
  const authenticate: ClientAuth = (provider, ...rest) => {
    const methods = provider.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    return (methods.includes("client_secret_basic") ? basic : post)(provider, ...rest)
  }
  // The configuration allows http for an issuer at a loopback address only.
  const allowHttp = issuer.startsWith("http:") ? [client.allowInsecureRequests] : []
  return client.discovery(new URL(issuer), clientId, undefined, authenticate, {
    timeout: timeoutSeconds,
    execute: [client.enableNonRepudiationChecks, ...allowHttp],
  })
}

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
