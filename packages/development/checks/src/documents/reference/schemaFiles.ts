import { openApiDocument } from "@sitewire/console"
import { asyncApiDocument, recordJsonSchema, recordSchemas, siteReadySchema } from "@sitewire/contracts"
import { apiTypes } from "./apiTypes.ts"

/** The AsyncAPI document, the JSON Schemas of records and of `site.ready`, and the types of the web console's API client, by path. */
export function schemaFiles(): Map<string, string> {
  const schemas = Object.entries({ ...recordSchemas, "site.ready": siteReadySchema }).map(
    ([name, schema]) => {
      const { $schema, ...rest } = recordJsonSchema(schema)
      const file = { $schema, $id: `urn:sitewire:${name}`, ...rest }
      return [`docs/reference/schemas/${name}.json`, file] as const
    },
  )
  const files = [["docs/reference/asyncapi.json", asyncApiDocument()] as const, ...schemas]
  const types = `// Written by \`npm run docs\` from the code. Do not edit.\n\n${apiTypes(openApiDocument())}`
  return new Map([
    ...files.map(([path, content]) => [path, `${JSON.stringify(content, null, 2)}\n`] as const),
    ["packages/web/src/api/schema.ts", types],
  ])
}
