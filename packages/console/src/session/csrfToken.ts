import { createHmac, timingSafeEqual } from "node:crypto"

/** Derived from the session's token, which the database does not contain, so that it need not be stored. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac("sha256", sessionToken).update("sitewire csrf token").digest("base64url")
}

export function isCsrfTokenOf(sessionToken: string, sent: string | string[] | undefined): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionToken))
  const given = Buffer.from(typeof sent === "string" ? sent : "")
  return given.length === expected.length && timingSafeEqual(given, expected)
}
