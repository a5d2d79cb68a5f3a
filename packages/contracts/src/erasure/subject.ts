import { createHash } from "node:crypto"
import { domainToASCII } from "node:url"
import { z } from "zod"
import type { SitePaid } from "../events/sitePaid.ts"
import { normalizeSiteUrl } from "../values/normalizeSiteUrl.ts"
import { parseJson } from "../values/parseJson.ts"

/**
 * Whose data an erasure deletes: an e-mail address or a site's URL. Only its digest is stored, and compared
 * with the digests of the strings in events. That of an address is keyed (`storedSubject` in @sitewire/database), because
 * an address could be guessed from another.
 */
export const subjectSchema = z.union([
  z.strictObject({ email_digest: z.string() }),
  z.strictObject({ site_url_sha256: z.string() }),
])
export type Subject = z.output<typeof subjectSchema>

export type PlainSubject = { email_sha256: string } | { site_url_sha256: string }

export function subjectOf({ email, site_url }: { email?: string; site_url?: string }): PlainSubject {
  if (email !== undefined) return { email_sha256: digest(normalizeEmail(email)) }
  return { site_url_sha256: digest(normalizeSiteUrl(site_url ?? "")) }
}

/**
 * The digest of an event's e-mail address, as in `email_sha256`. Null if its delivery may contain another address or the URL of
 * another site, in a text that somebody else wrote.
 */
export function onlyEmailDigest({ email, channel, reference, name }: SitePaid): string | null {
  const mayBeAddress = (text: string) => text.includes("@") || Boolean(URL.parse(text)?.hostname)
  return [channel, reference, name].some(mayBeAddress) ? null : digest(normalizeEmail(email))
}

/** Digests of all strings that may be an e-mail address or a site's URL. Null if the content is not JSON. */
export function digestsOf(content: Buffer): string[] | null {
  const parsed = parseJson(content.toString("utf8"))
  if (parsed === undefined) return null
  return stringsIn(parsed).flatMap((text) => [
    ...(text.includes("@") ? [digest(normalizeEmail(text))] : []),
    ...(URL.canParse(text) ? [digest(normalizeSiteUrl(text))] : []),
  ])
}

/** Not recursive, because deeply nested events would overflow the stack. */
function stringsIn(value: unknown): string[] {
  const strings: string[] = []
  const remaining = [value]
  while (remaining.length > 0) {
    const next = remaining.pop()
    if (typeof next === "string") strings.push(next)
    else if (typeof next === "object" && next !== null) {
      for (const inner of Object.values(next)) remaining.push(inner)
    }
  }
  return strings
}

function normalizeEmail(email: string): string {
  const text = email.trim()
  const at = text.lastIndexOf("@")
  const domain = text.slice(at + 1)
  // `domainToASCII` would drop a path or query behind the host, so that different texts became equal.
  const host = /[\s/\\?#%]/.test(domain) ? "" : domainToASCII(domain)
  return host === "" ? foldCase(text) : `${foldCase(text.slice(0, at))}@${host}`
}

/**
 * Unicode case folding, which JavaScript lacks. It makes ß, ẞ and SS equal. The dotless ı is left out,
 * because its upper case is I, so it would become i.
 */
function foldCase(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase())
    .normalize("NFC")
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
