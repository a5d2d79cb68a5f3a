import { z } from "zod"

/** Cursor pagination, the same for every list: newest first, `next_cursor` null on the last page. */
export const pageQuerySchema = z.object({
  cursor: z.string().max(200).optional().meta({ description: "`next_cursor` of the page before." }),
  limit: z.coerce.number().int().min(1).max(100).default(20).meta({ description: "Entries on a page." }),
})

export function pageSchema<T extends z.ZodType>(entry: T) {
  return z.object({ data: z.array(entry), next_cursor: z.string().nullable() })
}

export type Page<T> = { data: T[]; next_cursor: string | null }
