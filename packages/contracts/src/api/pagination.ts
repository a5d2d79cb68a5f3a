import { z } from "zod"

/**
 * Cursor pagination, the same for every list: newest first, `next_cursor` null on the last page. Strict, because a
 * filter that is misspelt and ignored answers with the wrong entries.
 */
export const pageQuerySchema = z.strictObject({
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "`next_cursor` of the page before, with the same filters." }),
  limit: z.coerce.number().int().min(1).max(100).default(20).meta({ description: "Entries on a page." }),
})

export function pageSchema<T extends z.ZodType>(entry: T) {
  return z.object({
    data: z.array(entry),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Give it as `cursor` for the next page. null: this page is the last." }),
  })
}

export type PageQuery = z.output<typeof pageQuerySchema>
export type Page<T> = { data: T[]; next_cursor: string | null }
