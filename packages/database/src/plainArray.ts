/**
 * Returns a Postgres array as text, for values that need no escaping, because the driver's escaping allocates
 * more. Returns null if every value is null: for `unnest` beside other arrays, that is as good as an array of
 * nulls.
 */
export function plainArray(values: readonly (string | number | boolean | null)[]): string | null {
  if (values.every((value) => value === null)) return null
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
