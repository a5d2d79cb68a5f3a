import { innerSchemas, type JsonSchema, type OpenApi, operationsOf, outermostSchemas } from "./jsonSchema.ts"

/** Lists the fields, parameters and headers without a description. */
export function findUndocumented(document: OpenApi): string[] {
  const found = new Set<string>()
  const inspectFields = (place: string, schema: JsonSchema) => {
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      if (field.$ref === undefined && !field.description) found.add(`${place}.${name}`)
    for (const [name, inner] of innerSchemas(schema)) inspectFields(`${place}${name}`, inner)
  }
  for (const [place, schema] of outermostSchemas(document)) inspectFields(place, schema)
  for (const { operation } of operationsOf(document))
    for (const { name, description } of operation.parameters ?? [])
      if (!description) found.add(`parameter ${name} of ${operation.operationId}`)
  for (const [name, { description }] of Object.entries(document.components.headers))
    if (!description) found.add(`header ${name}`)
  return [...found]
}
