import type { JsonSchema, OpenApi, Parameter } from "./jsonSchema.ts"

/** Adds what the schemas do not state themselves: descriptions of common fields, and reasons for rejection. */
export function completeDocument(document: object): OpenApi {
  // A copy, because the parts that were passed in must stay as they are. Inner values come before those that contain them.
  return JSON.parse(JSON.stringify(document), (_name, value) => {
    if (value?.in !== undefined) completeParameter(value)
    else if (typeof value === "object" && value !== null) completeSchema(value)
    return value
  })
}

function completeParameter(parameter: Parameter): void {
  const { description, ...schema } = parameter.schema
  parameter.description ??= description ?? descriptions[parameter.name] ?? ""
  parameter.schema = schema
}

function completeSchema(schema: JsonSchema): void {
  // A generator of Go clients understands a list of types only if it has one beside null.
  if (Array.isArray(schema.type) && schema.type.length > 2) {
    schema.anyOf = schema.type.map((type) => ({ type }))
    delete schema.type
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    // Beside a reference, this would forbid all fields of the schema that is referred to.
    if (field.$ref !== undefined) delete field.additionalProperties
    else field.description ??= descriptions[name] ?? ""
  }
  const rejections = schema["x-rejections"]
  if (rejections) {
    const sentence = `Rejected with: ${rejections.map((text) => `"${text}"`).join(", ")}.`
    schema.description = schema.description ? `${schema.description} ${sentence}` : sentence
  }
}

/** Of names that mean the same in every schema. What a schema itself states takes precedence. */
const descriptions: Record<string, string> = {
  address: "URL to which site.ready is sent.",
  api: "Path of the management API.",
  channel: "Id of the channel.",
  code: "The cause, for programs. It never changes its meaning.",
  created_at: "When it was created.",
  data: "The entries of this page.",
  delivery: "Id of the delivery.",
  error: "Error class. null: no error.",
  filter: "What the job applies to.",
  finished_at: "When it ended. null: it has not ended.",
  first_trigger_at: "Time of the first of these triggers. null: there is none.",
  id: "Identifies it.",
  kind: "What kind it is of.",
  last_trigger_at: "Time of the last of these triggers. null: there is none.",
  meaning: "What has happened.",
  name: "Its name.",
  note: "What the records are.",
  number: "Counts from 1.",
  openapi: "Version of OpenAPI, or the path of this document.",
  outcome: "How it ended.",
  reason: "Why.",
  rejected_at: "When Sitewire rejected it.",
  runner: "`pull`: Sitewire fetches the source. `delegate`: an internal executor does.",
  scopes: "What the key may do.",
  site: "Host of the site.",
  source: "URL from which the data is fetched.",
  started_at: "When it began.",
  state: "Its state.",
  status: "HTTP status. null: there was no response.",
  target: "What the entry is about.",
  title: "A short name of the cause, for people.",
  token_replaced_at: "When the token was last replaced. null: never.",
  topic: "Name of the topic.",
  triggers: "How many accepted triggers.",
  updated_at: "When it was last changed.",
}
