/**
 * SQL for a batch as rows: `unnest($id::uuid[], $state::text[]) as t (id, state)` from `{ id: "uuid", state: "text" }`. Each
 * column is a parameter of the same name, whose value is the array of that column's values, or null if all are null.
 */
export function unnestColumns(types: Readonly<Record<string, string>>, alias = "t"): string {
  const names = Object.keys(types)
  const arrays = names.map((name) => `$${name}::${types[name]}[]`)
  return `unnest(${arrays.join(", ")}) as ${alias} (${names.join(", ")})`
}
