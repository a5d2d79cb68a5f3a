import { identifierSchema, type PageQuery, timeSchema } from "@sitewire/contracts"
import { z } from "zod"
import { invalidField } from "../http/problems.ts"
import { ok, type Problem, type Success } from "../http/response.ts"

/**
 * A list in descending order of a key that is unique and never changes. Rows that are inserted while a client
 * reads page after page belong before the first page, so no later page repeats or skips a row.
 */
export type Listing<Row, Key> = {
  key: z.ZodType<Key>
  keyOf: (row: Row) => Key
  /** At most `count` rows with keys below `after`, in descending order; or why they cannot be read. */
  read: (after: Key | undefined, count: number) => Promise<Row[] | Problem>
}

export type ReadPage<Row> = { kind: "page"; rows: Row[]; next_cursor: string | null } | Problem

export async function readPage<Row, Key>(
  query: PageQuery,
  listing: Listing<Row, Key>,
): Promise<ReadPage<Row>> {
  const after = query.cursor === undefined ? undefined : decodeCursor(listing.key, query.cursor)
  if (after && !after.success) {
    const message = "cursor must be next_cursor of this list's previous page, unchanged"
    return invalidField("query", "cursor", message)
  }
  // Reads one row more than the page needs, to learn whether another page follows.
  const rows = await listing.read(after?.data, query.limit + 1)
  if (!Array.isArray(rows)) return rows
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const hasNext = rows.length > query.limit && last !== undefined
  return { kind: "page", rows: page, next_cursor: hasNext ? encodeCursor(listing.keyOf(last)) : null }
}

/** The response of a list, with the page's rows as `entriesOf` shows them. */
export async function listPage<Row, Key, Entry>(
  query: PageQuery,
  listing: Listing<Row, Key>,
  entriesOf: (rows: Row[]) => Entry[] | Promise<Entry[]>,
): Promise<Success<{ data: Entry[]; next_cursor: string | null }> | Problem> {
  const page = await readPage(query, listing)
  if (page.kind === "problem") return page
  return ok({ data: await entriesOf(page.rows), next_cursor: page.next_cursor })
}

/**
 * For lists in the order of creation. The key contains the id, too, because it orders rows that were created
 * in the same millisecond.
 */
export const newestFirst = {
  key: z.tuple([timeSchema, identifierSchema]),
  keyOf: (row: { created_at: Date; id: string }): CreationKey => [row.created_at.toISOString(), row.id],
  orderBy: [{ created_at: "desc" }, { id: "desc" }] satisfies Record<string, "desc">[],
  where: (after: CreationKey | undefined) => {
    if (!after) return {}
    const created_at = new Date(after[0])
    return { OR: [{ created_at: { lt: created_at } }, { created_at, id: { lt: after[1] } }] }
  },
}

type CreationKey = [string, string]

/** SQL for the filters that a query contains, and for further conditions that apply. */
export function matching<Query extends object>(
  query: Query,
  filters: { [Name in keyof Query]?: string | undefined },
  ...further: (string | false | undefined)[]
): string {
  const names = Object.keys(filters) as (keyof Query)[]
  const given = names.map((name) => query[name] !== undefined && filters[name])
  return [...given, ...further].filter(Boolean).join(" and ") || "true"
}

function encodeCursor(key: unknown): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url")
}

function decodeCursor<Key>(schema: z.ZodType<Key>, cursor: string) {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(cursor, "base64url").toString()))
  } catch {
    return { success: false } as const
  }
}
