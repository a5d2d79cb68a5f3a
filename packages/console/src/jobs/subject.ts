import { createHash } from "node:crypto"
import type { Sql } from "@sitewire/database"
import { z } from "zod"

/** Of what was asked for, only this is kept: it finds the same bodies, and tells nobody the address. */
export const subjectSchema = z.union([
  z.strictObject({ email_sha256: z.string() }),
  z.strictObject({ site_url_sha256: z.string() }),
])
export type Subject = z.output<typeof subjectSchema>

export function subjectOf({ email, site_url }: { email?: string; site_url?: string }): Subject {
  if (email !== undefined) return { email_sha256: digest(foldEmail(email)) }
  return { site_url_sha256: digest(foldUrl(site_url ?? "")) }
}

/**
 * Whom and what a body or a refused record is about, as an erasure names it: every text in it that could be an address of
 * a person or a site, in whatever field or form it came. Null where it cannot be read.
 */
export function digestsOf(content: Buffer): string[] | null {
  const parsed = parseJson(content)
  if (parsed === undefined) return null
  return textsIn(parsed).flatMap((text) => [
    ...(text.includes("@") ? [digest(foldEmail(text))] : []),
    ...(URL.canParse(text) ? [digest(foldUrl(text))] : []),
  ])
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** What was asked to be erased, by digest, with when that was last, in milliseconds. */
export async function erasedSubjects(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ digest: string; at: Date }>(
    `select value as digest, max(created_at) as at
       from job, jsonb_each_text(filter)
      where kind = 'erasure' and state <> 'cancelled'
      group by value`,
  )
  return new Map(rows.map(({ digest, at }) => [digest, at.getTime()]))
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}

/** The same for all spellings that people take for one address. Upper case first: it knows more pairs, such as ß and SS. */
function foldEmail(email: string): string {
  return email.trim().normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")
}

/** The same site, over http or https, with or without a slash at the end, and however its host was written. */
function foldUrl(url: string): string {
  if (!URL.canParse(url)) return url
  const { hostname, port, pathname, search } = new URL(url)
  return `${hostname.replace(/\.$/, "")}:${port}${pathname.replace(/\/+$/, "")}${search}`
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
