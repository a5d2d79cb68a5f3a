import type { IncomingHttpHeaders } from "node:http"
import { seal, sealContexts, unseal } from "@sitewire/database"
import type { CookieOptions, Response } from "express"
import { z } from "zod"
import { cookieName, readCookie } from "../session/sessionCookie.ts"
import type { SignInContext } from "../session/signInContext.ts"

type Secure = Pick<SignInContext, "sealingKeys" | "consoleOrigin">

const lifetimeMs = 10 * 60_000

const begunSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  /** The session that the browser had. It does not send that cookie when the provider's page sends it back. */
  before: z.object({ id: z.string(), owner_id: z.string(), name: z.string() }).nullable(),
  expiresAt: z.number(),
})
type Begun = z.infer<typeof begunSchema>

/**
 * The sign-in that a browser has begun is in a cookie of this browser: sealed, so that nobody else can make one, and
 * SameSite=Lax, because the provider's page sends the browser back.
 */
export function storeBegunSignIn(
  response: Response,
  { sealingKeys, consoleOrigin }: Secure,
  begun: Omit<Begun, "expiresAt">,
): void {
  const text = JSON.stringify({ ...begun, expiresAt: Date.now() + lifetimeMs } satisfies Begun)
  const sealed = seal(sealingKeys, sealContexts.openIdSignIn, text).toString("base64url")
  response.cookie(nameOf(consoleOrigin), sealed, { ...optionsOf(consoleOrigin), maxAge: lifetimeMs })
}

export function clearBegunSignIn(response: Response, { consoleOrigin }: Secure): void {
  response.clearCookie(nameOf(consoleOrigin), optionsOf(consoleOrigin))
}

export function readBegunSignIn(
  headers: IncomingHttpHeaders,
  { sealingKeys, consoleOrigin }: Secure,
): Begun | null {
  const cookie = readCookie(headers, nameOf(consoleOrigin))
  if (cookie === null) return null
  try {
    const text = unseal(sealingKeys, sealContexts.openIdSignIn, Buffer.from(cookie, "base64url"))
    const begun = begunSchema.parse(JSON.parse(text))
    return begun.expiresAt > Date.now() ? begun : null
  } catch {
    return null
  }
}

const nameOf = (secure: { isSecure: boolean }) => cookieName("sitewire_oidc", secure)

const optionsOf = ({ isSecure }: { isSecure: boolean }): CookieOptions => ({
  httpOnly: true,
  sameSite: "lax",
  secure: isSecure,
  path: "/",
})
