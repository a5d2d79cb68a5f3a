import { everything, withSchemaEngine } from "./schemaEngine.ts"

/**
 * Returns the SQL that creates the tables of schema.prisma; `schema` is its text. A test compares this SQL with
 * the migrations. Prisma's own comparison of schema.prisma with a database cannot be used: it fails on the type
 * "char" of Postgres's system catalogue.
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
