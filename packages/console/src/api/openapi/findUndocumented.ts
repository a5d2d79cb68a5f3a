import { innerSchemas, type JsonSchema, type OpenApi, operationsOf, outermostSchemas } from "./jsonSchema.ts"

/** Lists the fields, parameters and headers without a description or an example. */
export function findUndocumented(document: OpenApi): string[] {
  const found: string[] = []
  const inspect = (place: string, described: boolean, example: unknown) => {
    if (!described) found.push(`${place} has no description`)
    if (example === undefined) found.push(`${place} has no example`)
  }
  const inspectFields = (place: string, schema: JsonSchema) => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (field.$ref === undefined)
        inspect(`${place}.${name}`, Boolean(field.description), field.examples?.[0])
    }
    for (const [name, inner] of innerSchemas(schema)) inspectFields(`${place}${name}`, inner)
  }
  for (const [place, schema] of outermostSchemas(document)) inspectFields(place, schema)
  for (const { operation } of operationsOf(document)) {
    for (const { name, description, example } of operation.parameters ?? [])
      inspect(`parameter ${name} of ${operation.operationId}`, Boolean(description), example)
  }
  for (const [name, { description, example }] of Object.entries(document.components.headers))
    inspect(`header ${name}`, Boolean(description), example)
  return [...new Set(found)]
}
