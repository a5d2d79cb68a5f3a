/** The parts of JSON Schema and of OpenAPI that are read. */
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
  schema: JsonSchema
}

type Header = Omit<Parameter, "in" | "name">

export type MediaType = { schema?: JsonSchema; examples?: Record<string, unknown> }

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

export function operationsOf({ paths, webhooks = {} }: OpenApi) {
  return [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}
