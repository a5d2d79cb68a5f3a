/**
 * SQL for a batch as rows: `unnest($id::uuid[], $state::text[]) as t (id, state)` from `{ id: "uuid", state: "text" }`. Each
 * column is a parameter of the same name, whose value is the array of that column's values, or null if all are null.
 */
export function unnestColumns(
  types: Readonly<Record<string, string>>,
  alias = "t",
  /** The name of a further column: the position in the batch, from 1. */
  position?: string,
): string {
  const names = Object.keys(types)
  const arrays = names.map((name) => `$${name}::${types[name]}[]`)
  const columns = [...names, ...(position === undefined ? [] : [position])].join(", ")
  return `unnest(${arrays.join(", ")})${position === undefined ? "" : " with ordinality"} as ${alias} (${columns})`
}

/**
 * Returns a Postgres array as text, for values that need no escaping, because the driver's escaping allocates
 * more. Returns null if every value is null: for `unnest` beside other arrays, that is as good as an array of
 * nulls.
 */
export function plainArray(values: readonly (string | number | boolean | null)[]): string | null {
  if (values.every((value) => value === null)) return null
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
