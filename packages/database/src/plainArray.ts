/**
 * A Postgres array as text, for values whose text holds no comma, brace, quote, backslash or blank: numbers, UUIDs, ISO
 * times, words of ours. Null where every value is null, for `unnest` makes nulls of that too. The driver, which must
 * expect anything, quotes and escapes each value and so allocates several strings for it.
 */
export function plainArray(values: readonly (string | number | null)[]): string | null {
  if (values.every((value) => value === null)) return null
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
