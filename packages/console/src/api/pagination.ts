import { identifierSchema, instantSchema, type PageQuery } from "@sitewire/contracts"
import { z } from "zod"
import { type Problem, problem } from "./response.ts"

/**
 * How a list is walked: by a key that never changes and that no two rows share, downwards. A row that is inserted
 * meanwhile stands above the walk, so no page repeats or skips what was there when the walk began.
 */
export type Walk<Row, Key> = {
  key: z.ZodType<Key>
  keyOf: (row: Row) => Key
  /** At most `take` rows whose key is below `after`, greatest first. */
  read: (after: Key | undefined, take: number) => Promise<Row[]>
}

export type ReadPage<Row> = { kind: "page"; rows: Row[]; next_cursor: string | null } | Problem

/** Reads one page, and one row more to know whether another follows. */
export async function readPage<Row, Key>(query: PageQuery, walk: Walk<Row, Key>): Promise<ReadPage<Row>> {
  const after = query.cursor === undefined ? undefined : readCursor(walk.key, query.cursor)
  if (after && !after.success) {
    return problem(400, "The query cannot be used.", [
      {
        field: "cursor",
        message: "is not a cursor of this list: give next_cursor of the page before as it came",
      },
    ])
  }
  const rows = await walk.read(after?.data, query.limit + 1)
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const more = rows.length > query.limit && last !== undefined
  return { kind: "page", rows: page, next_cursor: more ? writeCursor(walk.keyOf(last)) : null }
}

/** Walks rows by the time of their creation; the id parts those of one millisecond. */
export const byCreation = {
  key: z.tuple([instantSchema, identifierSchema]),
  keyOf: (row: { createdAt: Date; id: string }): CreationKey => [row.createdAt.toISOString(), row.id],
  orderBy: [{ createdAt: "desc" }, { id: "desc" }] satisfies Record<string, "desc">[],
  where: (after: CreationKey | undefined) => {
    if (!after) return {}
    const createdAt = new Date(after[0])
    return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: after[1] } }] }
  },
}

type CreationKey = [string, string]

function writeCursor(key: unknown): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url")
}

function readCursor<Key>(schema: z.ZodType<Key>, cursor: string) {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(cursor, "base64url").toString()))
  } catch {
    return { success: false } as const
  }
}
