import { everything, withSchemaEngine } from "./schemaEngine.ts"

/**
 * Returns the SQL that creates the tables of schema.prisma, whose text is `schema`. A test compares this SQL
 * with the migrations. Prisma cannot compare schema.prisma with a database directly: it would read Postgres's
 * system tables, and fails on their columns of type "char".
 */
export async function schemaSql(url: string, schema: string): Promise<string> {
  return withSchemaEngine(url, schema, async (engine) => {
    const { stdout } = await engine.diff({
      from: { tag: "empty" },
      to: { tag: "schemaDatamodel", files: [{ path: "schema.prisma", content: schema }] },
      script: true,
      exitCode: null,
      filters: everything,
    })
    if (stdout === null) throw new Error("the schema engine returned no SQL")
    return stdout
  })
}
