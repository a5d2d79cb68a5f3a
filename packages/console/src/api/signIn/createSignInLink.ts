import { signInLinkSchema } from "@sitewire/contracts"
import { ownKey } from "../../auth/caller.ts"
import { createSignInLink as insertSignInLink } from "../../session/signInLinks.ts"
import { defineRoute } from "../defineRoute.ts"
import { keySignInDisabled, problem } from "../problems.ts"
import { ok } from "../response.ts"

export const createSignInLink = defineRoute({
  method: "post",
  path: "/v1/sign-in-links",
  operation: "createSignInLink",
  summary: "Create a link that signs in to the web console once",
  description:
    "Whoever opens the link first gets a session with the scopes of the API key of this request. The link is valid for 10 minutes. The session ends with the key, and after SESSION_MAX_AGE (12 hours by default) at the latest.",
  allow: ownKey,
  shownOnce: "Create another link, with a new Idempotency-Key.",
  success: { status: 200, description: "The link.", schema: signInLinkSchema },
  async handle({ sql, consoleOrigin, signInWithKey }, { caller, headers }) {
    if (!signInWithKey) return keySignInDisabled()
    if (caller.sessionId !== null) {
      const detail = "A session of the web console cannot create sign-in links. Send an API key."
      return problem("key-required", detail)
    }
    const { id, token, expires_at } = await insertSignInLink(sql, caller.keyId)
    const url = `${consoleOrigin.of(headers)}/sign-in#link=${token}`
    return ok(
      { id, url, expires_at: expires_at.toISOString() },
      { audit: { target: { kind: "sign_in_link", id } } },
    )
  },
})
