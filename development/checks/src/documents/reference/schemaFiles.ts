import { asyncApiDocument, recordJsonSchema, recordSchemas, siteReadySchema } from "@sitewire/contracts"

/** The AsyncAPI document, and the JSON Schemas of records and of `site.ready`, by path. */
export function schemaFiles(): Map<string, string> {
  const schemas = Object.entries({ ...recordSchemas, "site.ready": siteReadySchema }).map(
    ([name, schema]) => {
      const { $schema, ...rest } = recordJsonSchema(schema)
      const file = { $schema, $id: `urn:sitewire:${name}`, ...rest }
      return [`docs/reference/schemas/${name}.json`, file] as const
    },
  )
  const files = [["docs/reference/asyncapi.json", asyncApiDocument()] as const, ...schemas]
  return new Map(files.map(([path, content]) => [path, `${JSON.stringify(content, null, 2)}\n`]))
}
