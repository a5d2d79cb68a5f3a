import type { z } from "zod"

/**
 * The fields of a response, of the columns and values with their names. Whatever else `row` contains is omitted, such as the body of
 * a delivery. Times become texts.
 */
export function responseOf<Schema extends z.ZodObject>(schema: Schema, row: RowOf<Schema>): z.output<Schema> {
  const values: Record<string, unknown> = row
  const fields = Object.keys(schema.shape).map((name) => {
    const value = values[name]
    return [name, value instanceof Date ? value.toISOString() : value]
  })
  return Object.fromEntries(fields)
}

type RowOf<Schema extends z.ZodObject, Fields = z.output<Schema>> = {
  [Name in keyof Fields]: Fields[Name] | (string extends Fields[Name] ? Date : never)
}

/** The fields that a request contains, for Prisma, whose types do not allow `undefined`. JSON has none. */
export function given<Fields extends object>(fields: Fields) {
  return fields as { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }
}

/** Prisma's `select` of the columns that these fields show. */
export function columnsOf<Name extends string>({
  shape,
}: {
  shape: Record<Name, unknown>
}): Record<Name, true> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, true])) as Record<Name, true>
}
