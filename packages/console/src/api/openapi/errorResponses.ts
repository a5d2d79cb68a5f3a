import { apiProblemSchema, type ProblemCode, problemCodes } from "@sitewire/contracts"
import type { ResponseHeader } from "@sitewire/contracts/routes"
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi"
import { isWrite, type Route } from "../implement.ts"

/** Headers of the console's responses. Responses refer to them by name. */
export const responseHeaders = {
  "X-Request-Id": header(
    "Identifies the request in the console's log, and in the audit log. It is the request's own `X-Request-Id`, if that has 8 to 64 letters, digits, `-` or `_`.",
    "req_5f2c8e1a9b3d",
    { pattern: "^[A-Za-z0-9_-]{8,64}$" },
  ),
  Location: header("Path of the created resource.", "/v1/channels/acme"),
  ETag: header("Version of the resource, for `If-Match`.", '"9f86d081884c7d659a2fea"'),
  "Retry-After": header("After how many seconds to try again.", 5, { type: "integer", minimum: 1 }),
  Allow: header("The methods that the path supports.", "GET, PATCH, HEAD"),
  "WWW-Authenticate": header("How to authenticate (RFC 6750).", 'Bearer realm="sitewire"'),
  "Idempotent-Replayed": {
    ...header(
      "`true`: this is the stored response to an earlier request with the same Idempotency-Key.",
      "true",
      { enum: ["true"] },
    ),
    required: false,
  },
} as const satisfies Record<string, ResponseHeader>

export type HeaderName = keyof typeof responseHeaders

function header(
  description: string,
  example: string | number,
  more: Partial<ResponseHeader["schema"]> = {},
): ResponseHeader {
  return { description, required: true, schema: { type: "string", ...more }, example }
}

export function headerReferences(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const headersOf: Partial<Record<number, HeaderName>> = {
  401: "WWW-Authenticate",
  405: "Allow",
  429: "Retry-After",
  503: "Retry-After",
}

const shownOnce = "An earlier request with the Idempotency-Key got the response, whose secret is not stored."

/** The error responses that several routes share, by name. Each is a component of the document. */
const shared = {
  InvalidRequest: error("invalid-request", "The request is invalid; `errors` lists the invalid fields."),
  InvalidPath: error("unreadable-request", "The path has an invalid % escape."),
  Unauthorized: error("invalid-api-key", "The API key is missing, invalid, expired or revoked."),
  Forbidden: error("missing-scope", "None of the API key's scopes allows this."),
  NotFound: error("not-found", "Nothing has this id, or the API key may not see it."),
  MethodNotAllowed: error("method-not-allowed", "The path does not support the method."),
  BodyTooLarge: error("body-too-large", "The body is larger than 64 KiB."),
  UnsupportedBody: error("unsupported-body", "The body is not JSON in UTF-8, or it is compressed."),
  IdempotencyKeyReused: error(
    "idempotency-key-reused",
    "The Idempotency-Key was used for another request in the last 24 hours.",
  ),
  SecretShownOnce: error("secret-shown-once", shownOnce),
  TooManyRequests: error("too-many-requests", "The API key has sent too many requests."),
  InternalError: error("internal-error", "The console failed unexpectedly; its log has the error."),
  Unavailable: error("database-unavailable", "The database or Kafka is unavailable."),
}

for (const [id, response] of Object.entries(shared)) Object.assign(response, { id })

function error(code: ProblemCode, description: string): ZodOpenApiResponseObject {
  const { status, title } = problemCodes[code]
  const header = headersOf[status]
  const example = { type: `/problems/${code}`, code, title, status, request_id: "req_5f2c8e1a9b3d" }
  return {
    description,
    headers: headerReferences(["X-Request-Id", ...(header ? [header] : [])]),
    content: { "application/problem+json": { schema: apiProblemSchema, example } },
  }
}

export function errorResponses(route: Route): ZodOpenApiResponsesObject {
  const needsKey = route.allow !== "anyone"
  const isPost = route.method === "post"
  const validates = route.body || route.query || (isPost && needsKey)
  const responses: Record<string, ZodOpenApiResponseObject> = {
    ...(validates ? { 400: shared.InvalidRequest } : route.params ? { 400: shared.InvalidPath } : {}),
    ...(needsKey ? { 401: shared.Unauthorized, 403: shared.Forbidden } : {}),
    ...(route.params ? { 404: shared.NotFound } : {}),
    405: shared.MethodNotAllowed,
    ...(route.body ? { 413: shared.BodyTooLarge, 415: shared.UnsupportedBody } : {}),
    ...(route.shownOnce === undefined ? {} : { 409: shared.SecretShownOnce }),
    ...(isPost && isWrite(route) ? { 422: shared.IdempotencyKeyReused } : {}),
    ...(needsKey ? { 429: shared.TooManyRequests } : {}),
    500: shared.InternalError,
    ...(needsKey ? { 503: shared.Unavailable } : {}),
  }
  for (const [status, description] of Object.entries(route.otherResponses ?? {})) {
    const code = Object.entries(problemCodes).find(([, cause]) => cause.status === Number(status))
    responses[status] = code
      ? error(
          code[0] as ProblemCode,
          status === "409" && route.shownOnce !== undefined ? `${description} Or: ${shownOnce}` : description,
        )
      : { description, headers: { ...headerReferences(["X-Request-Id"]), ...route.success.headers } }
  }
  return responses as ZodOpenApiResponsesObject
}
