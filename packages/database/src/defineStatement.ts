import type { Row, Sql } from "./pool.ts"

/**
 * Defines a prepared statement whose parameters have names: `$hosts` in its text is the value of `hosts`, wherever and
 * however often it occurs. `name` identifies the statement in Postgres.
 */
export function defineStatement<Parameters extends Record<string, unknown>, R extends Row = Row>(
  name: string,
  text: string,
): (sql: Sql, parameters: Parameters) => Promise<R[]> {
  const names: string[] = []
  const positioned = text.replaceAll(/\$([a-zA-Z]\w*)/g, (_, parameter: string) => {
    if (!names.includes(parameter)) names.push(parameter)
    return `$${names.indexOf(parameter) + 1}`
  })
  return (sql, parameters) => {
    const values = names.map((parameter) => {
      if (parameter in parameters) return parameters[parameter]
      throw new Error(`the statement ${name} got no value for $${parameter}`)
    })
    return sql<R>(positioned, values, name)
  }
}
