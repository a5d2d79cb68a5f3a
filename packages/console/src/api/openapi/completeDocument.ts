import { commonFields } from "./commonFields.ts"
import {
  innerSchemas,
  type JsonSchema,
  type MediaType,
  type OpenApi,
  operationsOf,
  outermostSchemas,
} from "./jsonSchema.ts"

/**
 * Adds what the schemas do not state themselves: descriptions and examples of common fields, reasons for rejection, and
 * an example of each body, made of the examples of its fields.
 */
export function completeDocument(document: OpenApi): OpenApi {
  const { components } = document
  for (const [, schema] of outermostSchemas(document)) completeSchema(schema, components.schemas)
  for (const { operation } of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) {
      const common = commonFields[parameter.name]
      const { description, examples, ...schema } = parameter.schema
      const described = parameter.description ?? description ?? common?.description
      if (described !== undefined) parameter.description = described
      parameter.example ??= examples?.[0] ?? exampleOf(parameter.schema, components.schemas, common?.example)
      parameter.schema = schema
    }
    addExamples(operation.requestBody?.content, components.schemas)
    for (const { content } of Object.values(operation.responses)) addExamples(content, components.schemas)
  }
  return document
}

function completeSchema(schema: JsonSchema, schemas: OpenApi["components"]["schemas"]): void {
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
      const example = exampleOf(field, schemas, common?.example)
      if (field.examples === undefined && example !== undefined) field.examples = [example]
    }
  }
  const rejections = schema["x-rejections"]
  if (rejections) {
    const sentence = `Rejected with: ${rejections.map((text) => `"${text}"`).join(", ")}.`
    if (!schema.description?.includes(sentence))
      schema.description = [...(schema.description ? [schema.description] : []), sentence].join(" ")
  }
  for (const [, inner] of innerSchemas(schema)) completeSchema(inner, schemas)
}

function addExamples(
  content: Record<string, MediaType> | undefined,
  schemas: OpenApi["components"]["schemas"],
): void {
  for (const media of Object.values(content ?? {})) {
    if (!media.schema || media.example !== undefined) continue
    const example = exampleOf(media.schema, schemas)
    if (example !== undefined) media.example = example
  }
}

/** Undefined if the schema determines none. `common` is the usual example of a field with this name. */
function exampleOf(schema: JsonSchema, schemas: OpenApi["components"]["schemas"], common?: unknown): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.replace("#/components/schemas/", "")]
    return target && exampleOf(target, schemas, common)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.properties) {
    const entries = Object.entries(schema.properties).map(([name, field]) => [
      name,
      exampleOf(field, schemas, commonFields[name]?.example),
    ])
    return Object.fromEntries(entries.filter(([, example]) => example !== undefined))
  }
  if (schema.items && (schema.items.$ref ?? schema.items.properties)) {
    const entry = exampleOf(schema.items, schemas)
    return entry === undefined ? undefined : [entry]
  }
  const choices = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
  const [choice] = choices.filter(({ type }) => type !== "null")
  if (choice) return exampleOf(choice, schemas, common)
  if (schema.format === "uuid") return commonFields.delivery?.example
  if (common !== undefined && hasType(common, schema.type)) return common
  if (schema.default !== undefined) return schema.default
  if (schema.type === "boolean") return true
  if (schema.format === "date-time") return "2026-03-01T12:00:00.000Z"
  return undefined
}

function hasType(value: unknown, types: JsonSchema["type"]): boolean {
  const type = Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value
  const accepted = [types ?? []].flat()
  return accepted.includes(type) || (type === "integer" && accepted.includes("number"))
}
