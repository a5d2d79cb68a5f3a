/**
 * A Postgres array as text, for values that need no escaping; the driver's escaping allocates more. Null if every value is
 * null, because `unnest` returns nulls for it too.
 */
export function plainArray(values: readonly (string | number | null)[]): string | null {
  if (values.every((value) => value === null)) return null
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
