import { z } from "zod"

type JsonSchema = Record<string, unknown>

/** The JSON Schema of a record's value, with patterns that JavaScript, Python and Go understand, and an example. */
export function recordJsonSchema(schema: z.ZodType): JsonSchema {
  const { $ref, $defs, ...rest } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    override: ({ jsonSchema }) => adapt(jsonSchema),
  }) as JsonSchema & { definitions?: Record<string, JsonSchema> }
  const { definitions = {}, $schema, ...own } = rest
  const [title] = Object.keys(definitions)
  const { id: _, ...object } = { ...own, ...definitions[title ?? ""] } as JsonSchema &
    Pick<Fields, "properties">
  return { $schema, title, ...object, examples: [exampleOf(object)] }
}

type Fields = { properties?: Record<string, { examples?: unknown[] }> }

/** The object that consists of the examples of its fields. */
function exampleOf({ properties = {} }: Fields): object {
  return Object.fromEntries(Object.entries(properties).map(([name, { examples }]) => [name, examples?.[0]]))
}

function adapt(jsonSchema: JsonSchema): void {
  const { override, "x-rejections": rejections } = jsonSchema
  delete jsonSchema.override
  delete jsonSchema["x-rejections"]
  if (typeof override === "object") Object.assign(jsonSchema, override)
  if (Array.isArray(rejections))
    jsonSchema.description = `${jsonSchema.description} It ${rejections.join(", and ")}.`
  // The formats do not allow letters such as "ü", which the patterns allow.
  if (jsonSchema.format === "email" || jsonSchema.format === "uri") delete jsonSchema.format
  if (jsonSchema.format === "uuid") delete jsonSchema.pattern
  if (typeof jsonSchema.pattern === "string")
    jsonSchema.pattern = jsonSchema.pattern.replaceAll("\\d", "[0-9]")
}
