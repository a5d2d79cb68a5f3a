import { everything, withSchemaEngine } from "./schemaEngine.ts"

/**
 * `schema` is the text of schema.prisma. The drift test needs this SQL, because Prisma's own comparison does
 * not support the type "char" in the catalogue.
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
