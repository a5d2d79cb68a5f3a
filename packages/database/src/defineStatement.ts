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
