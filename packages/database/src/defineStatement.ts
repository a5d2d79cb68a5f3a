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
export function defineStatement<
  R extends Row = Row,
  Parameters extends Record<string, unknown> = Record<string, unknown>,
>(name: string, text: string): (sql: Sql, parameters: Parameters) => Promise<R[]> {
  const { text: replaced, names } = positioned(text)
  return (sql, parameters) => sql<R>(replaced, valuesOf(names, parameters), name)
}

/** The columns of a batch: their types in Postgres, and their values of an item. `word` is `text` that needs no escaping. */
export type Columns<Item> = Readonly<Record<string, readonly [type: string, of: (item: Item) => unknown]>>

/**
 * SQL for a batch as rows: `unnest($id::uuid[], $state::text[]) as t (id, state)`. `columnValues` has the values of its parameters.
 * `position`: the name of a further column, the position in the batch from 1.
 */
export function unnestColumns(
  columns: Readonly<Record<string, readonly [type: string, ...unknown[]]>>,
  alias = "t",
  position?: string,
): string {
  const arrays = Object.entries(columns).map(
    ([name, [type]]) => `$${name}::${type === "word" ? "text" : type}[]`,
  )
  const names = [...Object.keys(columns), ...(position === undefined ? [] : [position])].join(", ")
  return `unnest(${arrays.join(", ")})${position === undefined ? "" : " with ordinality"} as ${alias} (${names})`
}

/** Of columns in which every value is null, null: for `unnest` beside other arrays, that is as good as an array of nulls. */
export function columnValues<Item>(columns: Columns<Item>, batch: readonly Item[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, [type, of]] of Object.entries(columns)) {
    const list = batch.map(of)
    const isNull = list.every((value) => value === null)
    values[name] = isNull ? null : type === "text" || type === "bytea" ? list : plainArray(list)
  }
  return values
}

/** A Postgres array as text, for values that need no escaping, because the driver's escaping allocates more. */
function plainArray(values: readonly unknown[]): string {
  return `{${values.map((value) => value ?? "null").join(",")}}`
}
