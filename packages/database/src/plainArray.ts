/**
 * A Postgres array as text, for values without comma, brace, quote, backslash or blank. It allocates less than the driver,
 * which escapes each value. Null if every value is null: `unnest` returns nulls for it too.
 */
export function plainArray(values: readonly (string | number | null)[]): string | null {
  if (values.every((value) => value === null)) return null
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
