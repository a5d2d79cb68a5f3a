import { createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { CookieOptions, Response } from "express"

type Secure = { isSecure: boolean }

/** With the prefix `__Host-`, browsers accept a cookie only from this host, by https. */
export function cookieName(name: string, { isSecure }: Secure): string {
  return isSecure ? `__Host-${name}` : name
}

export function readCookie(headers: IncomingHttpHeaders, name: string): string | null {
  for (const pair of headers.cookie?.split(";") ?? []) {
    const [key = "", value] = pair.trim().split(/=(.*)/s, 2)
    if (key === name && value !== undefined) return value
  }
  return null
}

const session = "sitewire_session"

export function readSessionCookie(headers: IncomingHttpHeaders, secure: Secure): string | null {
  return readCookie(headers, cookieName(session, secure))
}

export function setSessionCookie(response: Response, secure: Secure, token: string, expiresAt: Date): void {
  response.cookie(cookieName(session, secure), token, { ...optionsOf(secure), expires: expiresAt })
}

export function clearSessionCookie(response: Response, secure: Secure): void {
  response.clearCookie(cookieName(session, secure), optionsOf(secure))
}

function optionsOf({ isSecure }: Secure): CookieOptions {
  return { httpOnly: true, sameSite: "strict", secure: isSecure, path: "/" }
}

/** Derived from the session's token, which the database does not contain, so that it need not be stored. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac("sha256", sessionToken).update("sitewire csrf token").digest("base64url")
}

export function isCsrfTokenOf(sessionToken: string, sent: string | string[] | undefined): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionToken))
  const given = Buffer.from(typeof sent === "string" ? sent : "")
  return given.length === expected.length && timingSafeEqual(given, expected)
}
