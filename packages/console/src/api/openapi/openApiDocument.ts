import { problemSchema } from "@sitewire/contracts"
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi"
import type { Route } from "../defineRoute.ts"
import { routes } from "../routes.ts"

/** OpenAPI 3.1 of the management API, made from the routes that the process answers. */
export function openApiDocument() {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  return createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "Sitewire management API",
        version: "0.1.0",
        description:
          "Channels, connections, deliveries and jobs. Lists are newest first and walked by cursor; every error is a problem document (RFC 9457).",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/", description: "Where this document was read." }],
      security: [{ key: [] }],
      paths,
      components: {
        securitySchemes: {
          key: {
            type: "http",
            scheme: "bearer",
            description: "A key of the console, `swk_…`. Told once, when made.",
          },
        },
      },
    },
    { override: leaveOutNoise },
  )
}

function operation(route: Route): ZodOpenApiOperationObject {
  const { success, params, query, body } = route
  const content = success.schema
    ? { "application/json": { schema: success.schema } }
    : { "*/*": { schema: { type: "string", format: "binary" } as const } }
  return {
    operationId: route.operation,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.open ? { security: [] } : {}),
    ...(params || query
      ? { requestParams: { ...(params ? { path: params } : {}), ...(query ? { query } : {}) } }
      : {}),
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { "application/json": { schema: body } },
          },
        }
      : {}),
    responses: {
      [String(success.status) as "200"]: {
        description: success.description,
        content,
        ...(success.headers ? { headers: success.headers } : {}),
      },
      ...(route.alternative
        ? {
            [String(route.alternative.status) as "200"]: {
              description: route.alternative.description,
              content: { "application/json": { schema: route.alternative.schema } },
            },
          }
        : {}),
      ...others(route),
    },
  }
}

/** What can go wrong follows from what a route takes; `others` adds what is its own. */
function others(route: Route): ZodOpenApiResponsesObject {
  const descriptions: Record<number, string> = {
    ...(route.body || route.query
      ? { 400: "Fields of the request are wrong; `errors` names them." }
      : route.params
        ? { 400: "The path is not encoded correctly." }
        : {}),
    ...(route.open ? {} : { 401: "There is no valid key." }),
    ...(route.params ? { 404: "There is nothing of that id." } : {}),
    ...(route.body ? { 413: "The body is too large.", 415: "The body is not JSON." } : {}),
    500: "Something is broken here.",
    ...(route.open
      ? {}
      : { 503: "The database or the broker is away; `Retry-After` says when to ask again." }),
    ...route.others,
  }
  const responses: ZodOpenApiResponsesObject = {}
  for (const [status, description] of Object.entries(descriptions)) {
    const content = { "application/problem+json": { schema: problemSchema } }
    responses[status as "400"] = Number(status) < 400 ? { description } : { description, content }
  }
  return responses
}

/**
 * zod writes a pattern beside each format, and the bounds of safe integers; they say nothing to a reader. Answers stay
 * open for fields that are added later.
 */
const leaveOutNoise: NonNullable<CreateDocumentOptions["override"]> = ({ jsonSchema, io }) => {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (io === "output") delete jsonSchema.additionalProperties
}
