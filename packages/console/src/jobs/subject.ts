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

const bodySchema = z.object({ email: z.string(), site_url: z.string() }).partial()

/** Whom and what a body is about, as an erasure names it. Empty where it cannot be read. */
export function digestsOf(body: Buffer): string[] {
  if (body.length === 0) return []
  const { email, site_url } = bodySchema.safeParse(parseJson(body)).data ?? {}
  const digests: string[] = []
  if (email !== undefined) digests.push(digest(foldEmail(email)))
  if (site_url !== undefined) digests.push(digest(foldUrl(site_url)))
  return digests
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

function foldEmail(email: string): string {
  return email.trim().normalize("NFC").toLowerCase()
}

/** The same site, whether or not its address was written with a slash at the end or capitals in its host. */
function foldUrl(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, "")
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
