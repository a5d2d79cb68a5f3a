import { commonFields } from "./commonFields.ts"
import { innerSchemas, type JsonSchema, type OpenApi, operationsOf, outermostSchemas } from "./jsonSchema.ts"

/** Adds what the schemas do not state themselves: descriptions and examples of common fields, and reasons for rejection. */
export function completeDocument(document: OpenApi): OpenApi {
  for (const [, schema] of outermostSchemas(document)) completeSchema(schema)
  for (const { operation } of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) {
      const common = commonFields[parameter.name]
      const { description, examples, ...schema } = parameter.schema
      const described = parameter.description ?? description ?? common?.description
      if (described !== undefined) parameter.description = described
      parameter.example ??= examples?.[0] ?? exampleOf(parameter.name, schema)
      parameter.schema = schema
    }
  }
  return document
}

function completeSchema(schema: JsonSchema): void {
  // A generator of Go clients understands a list of types only if it has one beside null.
  if (Array.isArray(schema.type) && schema.type.length > 2) {
    schema.anyOf = schema.type.map((type) => ({ type }))
    delete schema.type
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const common = commonFields[name]
    // Beside a reference, this would forbid all fields of the schema that is referred to.
    if (field.$ref !== undefined) delete field.additionalProperties
    if (field.$ref === undefined) {
      if (field.description === undefined && common?.description) field.description = common.description
      const example = exampleOf(name, field)
      if (field.examples === undefined && example !== undefined) field.examples = [example]
    }
  }
  const rejections = schema["x-rejections"]
  if (rejections) {
    const sentence = `Rejected with: ${rejections.map((text) => `"${text}"`).join(", ")}.`
    if (!schema.description?.includes(sentence))
      schema.description = [...(schema.description ? [schema.description] : []), sentence].join(" ")
  }
  for (const [, inner] of innerSchemas(schema)) completeSchema(inner)
}

function exampleOf(name: string, schema: JsonSchema): unknown {
  const example = commonFields[name]?.example
  if (fits(example, schema)) return example
  const isTime = [schema, ...(schema.anyOf ?? [])].some(({ format }) => format === "date-time")
  return isTime ? "2026-03-01T12:00:00.000Z" : undefined
}

function fits(example: unknown, { type, anyOf = [], enum: values, format }: JsonSchema): boolean {
  if (example === undefined || values !== undefined || format === "uuid") return false
  const accepted = [type, ...anyOf.map((choice) => choice.type)].flat()
  const own = Array.isArray(example) ? "array" : Number.isInteger(example) ? "integer" : typeof example
  return accepted.includes(own) || (own === "integer" && accepted.includes("number"))
}
