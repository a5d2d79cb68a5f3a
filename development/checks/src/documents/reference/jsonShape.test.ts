import { expect, test } from "vitest"
import { z } from "zod"
import { jsonShape } from "./jsonShape.ts"

test("a schema is written as a type, and schemas with an id as named types", () => {
  const entry = z
    .object({
      id: z.string(),
      count: z.int().optional(),
      state: z.enum(["on", "off"]),
      at: z.iso.datetime().nullable(),
      tags: z.array(z.union([z.string(), z.number()])),
      more: z.record(z.string(), z.boolean()),
      anything: z.unknown(),
    })
    .meta({ id: "Entry" })
  const page = z.object({ data: z.array(entry), next: z.string().nullable() })
  const { text, types } = jsonShape(page)
  expect(text).toBe("{ data: Entry[], next: string | null }")
  expect(types.get("Entry")).toBe(`{
  id: string
  count?: number
  state: "on" | "off"
  at: string | null
  tags: (string | number)[]
  more: Record<string, boolean>
  anything: unknown
}`)
})

test("a union of named types is written with their names", () => {
  const one = z.object({ a: z.literal(true) }).meta({ id: "One" })
  const other = z.object({ b: z.string() }).meta({ id: "Other" })
  const { text, types } = jsonShape(z.union([one, other]))
  expect(text).toBe("One | Other")
  expect(Object.fromEntries(types)).toEqual({ One: "{ a: true }", Other: "{ b: string }" })
})
