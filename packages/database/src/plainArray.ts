/**
 * Writes a Postgres array as text, for values that need no escaping, because the driver's escaping allocates
 * more memory. Returns null if every value is null: `unnest` returns nulls for null, too.
 */
export function plainArray(values: readonly (string | number | null)[]): string | null {
  if (values.every((value) => value === null)) return null
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
