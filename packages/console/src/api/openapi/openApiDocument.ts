import { problemSchema } from "@sitewire/contracts"
import { z } from "zod"
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi"
import type { Route } from "../defineRoute.ts"
import { routes } from "../routes.ts"

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
          "Channels, connections, deliveries, events and jobs. Lists are newest first, with cursor pagination. Every error is a problem document (RFC 9457).",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/", description: "The server of this document." }],
      security: [{ key: [] }],
      paths,
      components: {
        securitySchemes: {
          key: {
            type: "http",
            scheme: "bearer",
            description:
              "An API key, `swk_…`. It is shown only when it is created. Its scopes determine which routes it may call, and what they show.",
          },
        },
      },
    },
    { override: omitNoise },
  )
}

function operation(route: Route): ZodOpenApiOperationObject {
  const { success, params, query, body } = route
  const header =
    route.method === "post" ? idempotencyHeader : route.method === "patch" ? ifMatchHeader : undefined
  const parameters = {
    ...(params ? { path: params } : {}),
    ...(query ? { query } : {}),
    ...(header ? { header } : {}),
  }
  const content = success.schema
    ? { "application/json": { schema: success.schema } }
    : { [success.contentType ?? "*/*"]: { schema: { type: "string", format: "binary" } as const } }
  return {
    operationId: route.operation,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.allow === "anyone" ? { security: [] } : {}),
    ...(Object.keys(parameters).length > 0 ? { requestParams: parameters } : {}),
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
      ...otherResponses(route),
    },
  }
}

const idempotencyHeader = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .meta({
      description:
        "Makes a repetition safe: within 24 hours, a request with the same key gets the first one's response.",
    }),
})

const ifMatchHeader = z.object({
  "if-match": z.string().optional().meta({
    description: "The ETag of a GET response. If the resource has changed since, nothing is written (412).",
  }),
})

function otherResponses(route: Route): ZodOpenApiResponsesObject {
  const descriptions: Record<number, string> = {
    ...(route.body || route.query
      ? { 400: "The request is invalid; `errors` lists the invalid fields." }
      : route.params
        ? { 400: "The path has an invalid % escape." }
        : {}),
    ...(route.allow === "anyone" ? {} : { 401: "The API key is missing, invalid or revoked." }),
    ...(route.allow === "anyone"
      ? {}
      : {
          403: "None of the API key's scopes allows this.",
          429: "The API key has sent too many requests. Try again after the number of seconds in `Retry-After`.",
        }),
    ...(route.method === "post"
      ? {
          400: "The request is invalid; `errors` lists the invalid fields.",
          422: "The Idempotency-Key was used for another request.",
        }
      : {}),
    ...(route.params ? { 404: "Nothing has this id." } : {}),
    ...(route.body ? { 413: "The body is too large.", 415: "The body is not JSON." } : {}),
    500: "The console failed unexpectedly; its log has the error.",
    ...(route.allow === "anyone"
      ? {}
      : {
          503: "The database or Kafka is unavailable. Try again after the number of seconds in `Retry-After`.",
        }),
    ...route.otherResponses,
  }
  const responses: ZodOpenApiResponsesObject = {}
  for (const [status, description] of Object.entries(descriptions)) {
    const content = { "application/problem+json": { schema: problemSchema } }
    responses[status as "400"] = Number(status) < 400 ? { description } : { description, content }
  }
  return responses
}

/**
 * Omits the pattern that zod adds to each format, and the bounds of safe integers, because neither helps a
 * reader. Responses allow further fields, because later versions may add some.
 */
const omitNoise: NonNullable<CreateDocumentOptions["override"]> = ({ jsonSchema, io }) => {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (io === "output") delete jsonSchema.additionalProperties
}
