/** The parts of JSON Schema and of OpenAPI that the document's own checks read. */
export type JsonSchema = {
  $ref?: string
  type?: string | string[]
  title?: string
  description?: string
  examples?: unknown[]
  default?: unknown
  const?: unknown
  enum?: unknown[]
  format?: string
  pattern?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  propertyNames?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  "x-rejections"?: string[]
}

export type Parameter = {
  in: string
  name: string
  required?: boolean
  description?: string
  example?: unknown
  schema: JsonSchema
}

type Header = Omit<Parameter, "in" | "name">

export type MediaType = { schema?: JsonSchema; example?: unknown }

export type Response = {
  $ref?: string
  description: string
  headers?: Record<string, Header & { $ref?: string }>
  content?: Record<string, MediaType>
}

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags?: string[]
  parameters?: Parameter[]
  security?: object[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, Response>
}

type PathItem = Record<string, Operation>

export type OpenApi = {
  openapi: string
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, PathItem>
  webhooks?: Record<string, PathItem>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, Response>
    headers: Record<string, Header>
    securitySchemes: { key: { description: string } }
  }
}

export function resolveResponse(document: OpenApi, response: Response | undefined): Response | undefined {
  if (response?.$ref === undefined) return response
  return document.components.responses[response.$ref.replace("#/components/responses/", "")]
}

/** The schemas directly within a schema, with what identifies each in messages. */
export function innerSchemas(schema: JsonSchema): [string, JsonSchema][] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema
  return [
    ...Object.entries(properties).map(([name, inner]): [string, JsonSchema] => [`.${name}`, inner]),
    ...(items ? [["[]", items] as [string, JsonSchema]] : []),
    ...(typeof additionalProperties === "object"
      ? [[".*", additionalProperties] as [string, JsonSchema]]
      : []),
    ...[...anyOf, ...oneOf, ...allOf].map((inner): [string, JsonSchema] => ["", inner]),
  ]
}

/** All schemas of the document that are not within another one, with their names or places. */
export function outermostSchemas(document: OpenApi): [string, JsonSchema][] {
  const { schemas, responses, headers } = document.components
  const ofContent = (place: string, content: Record<string, MediaType> = {}) =>
    Object.values(content).flatMap(({ schema }): [string, JsonSchema][] => (schema ? [[place, schema]] : []))
  return [
    ...Object.entries(schemas),
    ...Object.entries(headers).map(([name, { schema }]): [string, JsonSchema] => [`header ${name}`, schema]),
    ...Object.entries(responses).flatMap(([name, { content }]) => ofContent(`response ${name}`, content)),
    ...operationsOf(document).flatMap(({ operation }) => [
      ...(operation.parameters ?? []).map(({ name, schema }): [string, JsonSchema] => [
        `${operation.operationId} ${name}`,
        schema,
      ]),
      ...ofContent(`${operation.operationId} body`, operation.requestBody?.content),
      ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
        ofContent(`${operation.operationId} ${status}`, content),
      ),
    ]),
  ]
}

export function operationsOf({ paths, webhooks = {} }: OpenApi) {
  return [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}
