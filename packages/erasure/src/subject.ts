import { createHash } from "node:crypto"
import { domainToASCII } from "node:url"
import { z } from "zod"

/** Of what was asked for, only this is kept: it finds the same bodies, and tells nobody the address. */
export const subjectSchema = z.union([
  z.strictObject({ email_sha256: z.string() }),
  z.strictObject({ site_url_sha256: z.string() }),
])
export type Subject = z.output<typeof subjectSchema>

export function subjectOf({ email, site_url }: { email?: string; site_url?: string }): Subject {
  if (email !== undefined) return { email_sha256: digest(normalizeEmail(email)) }
  return { site_url_sha256: digest(normalizeUrl(site_url ?? "")) }
}

/**
 * Whom and what a body or a refused record is about, as an erasure names it: every text in it that could be an address of
 * a person or a site, in whatever field or form it came. Null where it cannot be read.
 */
export function digestsOf(content: Buffer): string[] | null {
  const parsed = parseJson(content)
  if (parsed === undefined) return null
  return stringsIn(parsed).flatMap((text) => [
    ...(text.includes("@") ? [digest(normalizeEmail(text))] : []),
    ...(URL.canParse(text) ? [digest(normalizeUrl(text))] : []),
  ])
}

/** Publishers decide how deep and how wide their events are, so neither calls nor arguments may grow with them. */
function stringsIn(value: unknown): string[] {
  const texts: string[] = []
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === "string") texts.push(next)
    else if (typeof next === "object" && next !== null) {
      for (const inner of Object.values(next)) left.push(inner)
    }
  }
  return texts
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}

/** The same for all spellings that people take for one address; its host as name servers call it. */
function normalizeEmail(email: string): string {
  const text = email.trim()
  const at = text.lastIndexOf("@")
  const domain = text.slice(at + 1)
  // `domainToASCII` reads a host as a URL does, and drops what follows it there: that would be another address.
  const host = /[\s/\\?#%]/.test(domain) ? "" : domainToASCII(domain)
  return host === "" ? foldCase(text) : `${foldCase(text.slice(0, at))}@${host}`
}

/**
 * As Unicode folds case, for which JavaScript has no function: lower, upper and lower again bring together all that
 * belongs together, such as ß, ẞ and SS. Left out is the dotless ı, a letter apart that has the upper case of i.
 */
function foldCase(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase())
    .normalize("NFC")
}

/** The same site, over http or https, with or without a slash at the end, and however its host was written. */
function normalizeUrl(url: string): string {
  if (!URL.canParse(url)) return url
  const { hostname, port, pathname, search } = new URL(url)
  return `${hostname.replace(/\.$/, "")}:${port}${pathname.replace(/\/+$/, "")}${search}`
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
