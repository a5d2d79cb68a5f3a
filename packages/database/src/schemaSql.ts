import { everything, withSchemaEngine } from "./schemaEngine.ts"

/**
 * The SQL that makes `schema` (the text of schema.prisma) out of an empty database. The drift test compares what it
 * makes with what the migrations make; Prisma's own comparison reads the catalogue through a driver that refuses the
 * type "char" there.
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
