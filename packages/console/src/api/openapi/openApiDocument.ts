import { z } from "zod"
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi"
import { scopesOf } from "../../auth/authenticate.ts"
import { idempotencyKeyPattern } from "../idempotency.ts"
import { isWrite, type Route } from "../implement.ts"
import { routes } from "../routes.ts"
import { completeDocument } from "./completeDocument.ts"
import {
  errorResponses,
  type HeaderName,
  header,
  headerReferences,
  responseHeaders,
} from "./errorResponses.ts"
import type { OpenApi } from "./jsonSchema.ts"
import { tagOf } from "./tags.ts"
import { webhooks, webhooksTag } from "./webhooks.ts"

export function openApiDocument(): OpenApi {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  const document = createDocument(
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
      tags: [...new Map(routes.map(({ path }) => [tagOf(path).name, tagOf(path)])).values(), webhooksTag],
      paths,
      webhooks,
      components: {
        headers: responseHeaders,
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
  return completeDocument(document)
}

function operation(route: Route): ZodOpenApiOperationObject {
  const { success, params, query, body, alternative } = route
  const header = requestHeaders(route)
  const succeeded = successResponse(route)
  const { content: _, ...notModified } = succeeded
  const parameters = {
    ...(params ? { path: params } : {}),
    ...(query ? { query } : {}),
    ...(header ? { header } : {}),
  }
  return {
    operationId: route.operation,
    summary: route.summary,
    description: [route.description, scopesText(route)].filter(Boolean).join("\n\n"),
    tags: [tagOf(route.path).name],
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
      [String(success.status ?? 200) as "200"]: succeeded,
      ...(alternative ? { 200: successResponse({ ...route, success: { schema: alternative } }) } : {}),
      ...(route.requestHeaders ? { 304: { ...notModified, description: "Not modified." } } : {}),
      ...errorResponses(route),
    },
  }
}

function scopesText({ allow }: Route): string {
  return allow === "anyone" ? "Needs no API key." : `Scopes: ${scopesOf(allow).join(", ")}.`
}

function successResponse(route: Route): ZodOpenApiResponseObject {
  const { success, etag, method } = route
  const creates = success.status === 201 || success.location === true
  const names: HeaderName[] = [
    "X-Request-Id",
    ...(creates ? (["Location"] as const) : []),
    ...(etag || method === "patch" ? (["ETag"] as const) : []),
    ...replayed(route),
  ]
  const own = Object.entries(success.headers ?? {}).map(([name, description]) => [name, header(description)])
  const content = success.schema
    ? { "application/json": { schema: success.schema } }
    : success.contentType
      ? { [success.contentType]: {} }
      : { "application/octet-stream": { schema: { type: "string", format: "binary" } as const }, "*/*": {} }
  return {
    description: success.description ?? success.schema?.description ?? "Done.",
    headers: { ...headerReferences(names), ...Object.fromEntries(own) },
    content,
  }
}

const replayed = (route: Route): HeaderName[] =>
  route.method === "post" && isWrite(route) ? ["Idempotent-Replayed"] : []

function requestHeaders(route: Route): z.ZodObject | undefined {
  const shape = {
    ...(route.method === "post" && isWrite(route) ? idempotencyHeader : {}),
    ...(route.method === "patch" ? ifMatchHeader : {}),
    ...route.requestHeaders?.shape,
  }
  return Object.keys(shape).length > 0 ? z.object(shape) : undefined
}

const idempotencyHeader = {
  "Idempotency-Key": z
    .string()
    .regex(idempotencyKeyPattern)
    .optional()
    .describe(
      "Makes a repetition safe: within 24 hours, a request with the same key gets the first one's response.",
    ),
}

const ifMatchHeader = {
  "If-Match": z
    .string()
    .optional()
    .describe("The ETag of a GET response. If the resource has changed since, nothing is written (412)."),
}

/**
 * Omits the pattern that zod adds to each format, and the bounds of safe integers, because neither helps a
 * reader. Responses allow further fields, because later versions may add some.
 */
const omitNoise: NonNullable<CreateDocumentOptions["override"]> = ({ jsonSchema, zodSchema, io }) => {
  const isString = zodSchema._zod.def.type === "string"
  if (isString && jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}
