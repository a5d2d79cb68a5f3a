import { everything, withSchemaEngine } from "./schemaEngine.ts"

/**
 * Returns the SQL that creates `schema` (the text of schema.prisma) in an empty database. For the drift test, because
 * Prisma's own comparison reads the catalogue with a driver that does not support the type "char".
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
