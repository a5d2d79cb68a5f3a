/**
 * A Postgres array as text, for values that need no escaping, because the driver's escaping allocates more.
 * Null if every value is null, because `unnest` treats a null array as nulls.
 */
export function plainArray(values: readonly (string | number | null)[]): string | null {
  if (values.every((value) => value === null)) return null
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
