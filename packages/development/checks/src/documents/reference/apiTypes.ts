import {
  type JsonSchema,
  type MediaType,
  type OpenApi,
  type Operation,
  resolveResponse,
} from "@sitewire/console"

/**
 * The types of the management API for the web console, in the form that openapi-fetch reads. openapi-typescript is
 * not used, because it needs the compiler API of TypeScript 5.
 */
export function apiTypes(document: OpenApi): string {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `    ${name}: ${typeOf(schema)}`,
  )
  const paths = Object.entries(document.paths).map(
    ([path, methods]) =>
      `  ${JSON.stringify(path)}: {\n${Object.entries(methods)
        .map(([method, operation]) => `    ${method}: ${operationType(document, operation)}`)
        .join("\n")}\n  }`,
  )
  return `export interface components {\n  schemas: {\n${schemas.join("\n")}\n  }\n}\n\nexport interface paths {\n${paths.join("\n")}\n}\n`
}

function operationType(document: OpenApi, { parameters = [], requestBody, responses }: Operation): string {
  const groups = [...Map.groupBy(parameters, (parameter) => parameter.in)].map(([place, members]) => {
    const fields = members.map(
      ({ name, required, schema }) => `${JSON.stringify(name)}${required ? "" : "?"}: ${typeOf(schema)}`,
    )
    return `${place}${members.some(({ required }) => required) ? "" : "?"}: { ${fields.join("; ")} }`
  })
  const body = requestBody
    ? [`requestBody${requestBody.required ? "" : "?"}: { content: ${contentType(requestBody.content)} }`]
    : []
  // All errors have the same type.
  const outcomes = new Set(
    Object.entries(responses).map(([status, response]) => {
      const content = contentType(resolveResponse(document, response)?.content)
      return `${Number(status) < 400 ? status : "default"}: { headers: Record<string, unknown>; content: ${content} }`
    }),
  )
  const parts = [
    `parameters: { ${groups.join("; ")} }`,
    ...body,
    `responses: { ${[...outcomes].join("; ")} }`,
  ]
  return `{ ${parts.join("; ")} }`
}

function contentType(content: Record<string, MediaType> | undefined): string {
  const entries = Object.entries(content ?? {})
  if (entries.length === 0) return "{ [type: string]: never }"
  return `{ ${entries.map(([type, { schema }]) => `${JSON.stringify(type)}: ${typeOf(schema ?? {})}`).join("; ")} }`
}

function typeOf(schema: JsonSchema): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema
  if ($ref !== undefined) return `components["schemas"][${JSON.stringify($ref.split("/").at(-1))}]`
  if (constant !== undefined) return JSON.stringify(constant)
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ")
  if (anyOf ?? oneOf) return (anyOf ?? oneOf ?? []).map(typeOf).join(" | ")
  if (allOf) return allOf.map(typeOf).join(" & ")
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" | ")
  if (type === "integer") return "number"
  if (type === "array") return `(${typeOf(schema.items ?? {})})[]`
  if (type === "object" || schema.properties) return objectType(schema)
  return type ?? "unknown"
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (!properties) {
    const values = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown"
    return `{ [name: string]: ${values} }`
  }
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`,
  )
  return `{ ${fields.join("; ")} }`
}
