import { expect, test } from "vitest"
import { readProvider } from "./openIdProvider.ts"

test("OpenID Connect is configured completely or not at all", () => {
  const none = {
    OIDC_ISSUER: undefined,
    OIDC_CLIENT_ID: undefined,
    OIDC_CLIENT_SECRET: undefined,
    OIDC_SCOPES_CLAIM: "sitewire_scopes",
    OIDC_GROUP_SCOPES: undefined,
    SIGN_IN_WITH_KEY: true,
  }
  expect(readProvider(none)).toBeNull()
  expect(() => readProvider({ ...none, SIGN_IN_WITH_KEY: false })).toThrow("nobody can sign in")
  for (const part of [{ OIDC_ISSUER: "https://id.example" }, { OIDC_CLIENT_SECRET: "hidden" }]) {
    const read = () => readProvider({ ...none, ...part })
    expect(read).toThrow("OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together")
    expect(read).not.toThrow("hidden")
  }
})
