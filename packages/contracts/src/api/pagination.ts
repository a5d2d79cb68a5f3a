import { z } from "zod"

/**
 * The query of every list. It is strict, because a list would contain wrong entries if a misspelt filter were
 * ignored.
 */
export const pageQuerySchema = z.strictObject({
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({
      description: "`next_cursor` of the previous page, with the same filters.",
      "x-rejections": ["must be next_cursor of this list's previous page"],
    }),
  limit: z.coerce.number().int().min(1).max(100).default(20).describe("Entries per page."),
})

export function pageSchema<T extends z.ZodType>(entry: T) {
  return z.object({
    data: z.array(entry),
    next_cursor: z
      .string()
      .nullable()
      .describe("The `cursor` of the next page. null: this page is the last."),
  })
}

export type PageQuery = z.output<typeof pageQuerySchema>
export type Page<T> = { data: T[]; next_cursor: string | null }
