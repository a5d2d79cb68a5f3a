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

type CommonField = { description?: string; example?: unknown }

/**
 * Examples, and descriptions of names that mean the same in every schema. What a schema itself states takes
 * precedence. Because all examples are here, those of different operations fit together.
 */
const commonFields: Record<string, CommonField> = {
  address: {
    description: "URL to which site.ready is sent.",
    example: "https://partner.example/hooks/sitewire",
  },
  api: { description: "Path of the management API.", example: "/v1" },
  attempts: { example: 2 },
  body_sha256: { example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
  bytes: { example: 4096 },
  changes: {
    example: {
      address: { old: "https://old.example/", new: "https://partner.example/hooks/sitewire" },
    },
  },
  channel: { description: "Id of the channel.", example: "acme" },
  code: { description: "The cause, for programs. It never changes its meaning.", example: "not-found" },
  connect_ms: { example: 12.4 },
  console_url: { example: "https://console.example/bakery" },
  content_sha256: { example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
  counts: { example: { resent: 120 } },
  created_after: { example: "2026-03-01T00:00:00Z" },
  created_at: { description: "When it was created." },
  created_before: { example: "2026-03-02T00:00:00Z" },
  cursor: { example: "WyIyMDI2LTAzLTAxVDEyOjAwOjAwLjAwMFoiLCJhY21lIl0" },
  data: { description: "The entries of this page." },
  delivery: { description: "Id of the delivery.", example: "019aa000-0000-7000-8000-000000000000" },
  detail: { example: 'There is no channel "acme". GET /v1/channels lists all channels.' },
  duration_ms: { example: 184.2 },
  email: { example: "owner@bakery.example" },
  error: { description: "Error class. null: no error.", example: "timeout" },
  event_id: { example: "order-10042" },
  expires_at: { example: "2027-03-01T00:00:00.000Z" },
  fence: { example: 17 },
  field: { example: "address" },
  filter: { description: "What the job applies to." },
  finished_at: { description: "When it ended. null: it has not ended." },
  first_byte_ms: { example: 95.1 },
  first_trigger_at: {
    description: "Time of the first of these triggers. null: there is none.",
  },
  from: { example: "site.paid 3 1024" },
  id: { description: "Identifies it.", example: "acme" },
  ip: { example: "203.0.113.7" },
  job: { example: "job_5f2c8e1a9b3d" },
  key: { example: "swk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG" },
  kind: { description: "What kind it is of." },
  last_error: { example: "timeout" },
  last_trigger_at: { description: "Time of the last of these triggers. null: there is none." },
  left_out: { example: 0 },
  limit: { example: 20 },
  lookup_ms: { example: 3.1 },
  matching: { example: 120 },
  meaning: { description: "What has happened.", example: "The resource does not exist." },
  message: { example: "address must be an http or https URL, such as https://shop.example" },
  name: { description: "Its name.", example: "acme's developers" },
  next_attempt_at: { example: "2026-03-01T12:05:00.000Z" },
  next_cursor: { example: "WyIyMDI2LTAzLTAxVDEyOjAwOjAwLjAwMFoiLCJhY21lIl0" },
  note: { description: "What the records are.", example: "Original events." },
  number: { description: "Counts from 1.", example: 1 },
  openapi: { description: "Version of OpenAPI, or the path of this document.", example: "3.1.1" },
  operation: { example: "changeChannel" },
  outcome: { description: "How it ended." },
  per_second: { example: 50 },
  reason: { description: "Why.", example: "ticket 4711" },
  reference: { example: "user-4711" },
  rejected_after: { example: "2026-03-01T00:00:00Z" },
  rejected_at: { description: "When Sitewire rejected it." },
  rejected_before: { example: "2026-03-02T00:00:00Z" },
  remedy: { example: "Check the id." },
  request_id: { example: "req_5f2c8e1a9b3d" },
  requested_by: { example: "key_5f2c8e1a9b3d (on-call)" },
  response_excerpt: { example: "accepted" },
  runner: { description: "`pull`: Sitewire fetches the source. `delegate`: an internal executor does." },
  scopes: { description: "What the key may do.", example: ["channel:acme"] },
  secret_id: { example: "sec_5f2c8e1a9b3d" },
  signing_secret: { example: "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG" },
  site: { description: "Host of the site.", example: "bakery.example" },
  site_url: { example: "https://bakery.example" },
  source: {
    description: "URL from which the data is fetched.",
    example: "https://api.partner.example/products",
  },
  staged_secret: { example: "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG" },
  started_at: { description: "When it began." },
  state: { description: "Its state." },
  status: { description: "HTTP status. null: there was no response.", example: 404 },
  target: { description: "What the entry is about." },
  title: { description: "A short name of the cause, for people.", example: "Not found" },
  tls_ms: { example: 30.8 },
  token_replaced_at: { description: "When the token was last replaced. null: never." },
  total: { example: 120 },
  topic: { description: "Name of the topic.", example: "site.paid" },
  trigger_url: {
    example:
      "https://bakery.example/connectors/hook/bakery-products/swt_0123456789abcdefghijklmnopqrstuvwxyz/",
  },
  triggers: { description: "How many accepted triggers.", example: 3 },
  type: { example: "/problems/not-found" },
  updated_at: { description: "When it was last changed." },
}
