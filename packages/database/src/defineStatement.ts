import type { Row, Sql } from "./pool.ts"

/** Replaces each name by its position, and lists the names in the order of their positions. */
function positioned(text: string): { text: string; names: string[] } {
  const names: string[] = []
  const replaced = text.replaceAll(/\$([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text: replaced, names }
}

function valuesOf(names: readonly string[], parameters: Readonly<Record<string, unknown>>): unknown[] {
  return names.map((name) => {
    if (name in parameters) return parameters[name]
    throw new Error(`the statement got no value for $${name}`)
  })
}

/**
 * The arguments of `sql` for a statement whose parameters have names: `$hosts` in its text is the value of `hosts`, wherever and
 * however often it occurs.
 */
export function named(
  text: string,
  parameters: Readonly<Record<string, unknown>>,
): [text: string, values: unknown[]] {
  const { text: replaced, names } = positioned(text)
  return [replaced, valuesOf(names, parameters)]
}

/** A statement as of `named`, which is prepared once per connection. `name` identifies it in Postgres. */
export function defineStatement<Parameters extends Record<string, unknown>, R extends Row = Row>(
  name: string,
  text: string,
): (sql: Sql, parameters: Parameters) => Promise<R[]> {
  const { text: replaced, names } = positioned(text)
  return (sql, parameters) => sql<R>(replaced, valuesOf(names, parameters), name)
}

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
 * A Postgres array as text, for values that need no escaping, because the driver's escaping allocates more. Null if every value is
 * null: for `unnest` beside other arrays, that is as good as an array of nulls.
 */
export function plainArray(values: readonly (string | number | boolean | null)[]): string | null {
  if (values.every((value) => value === null)) return null
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
