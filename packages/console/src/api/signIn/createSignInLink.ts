import { keySignInDisabled, problem } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { createSignInLink as insertSignInLink } from "../../session/signInLinks.ts"
import { implement } from "../implement.ts"

export const createSignInLink = implement(
  "createSignInLink",
  async ({ sql, consoleOrigin, signInWithKey }, { caller, headers }) => {
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
)
