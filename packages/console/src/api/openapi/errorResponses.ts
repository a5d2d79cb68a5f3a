import { apiProblemSchema, type ProblemCode, problemCodes } from "@sitewire/contracts"
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi"
import { isWrite, type Route } from "../implement.ts"

/** Headers of the console's responses. Responses refer to them by name. */
export const responseHeaders = {
  "X-Request-Id": header(
    "Identifies the request in the console's log, and in the audit log. It is the request's own `X-Request-Id`, if that has 8 to 64 letters, digits, `-` or `_`.",
    { type: "string", pattern: "^[A-Za-z0-9_-]{8,64}$" },
  ),
  Location: header("Path of the created resource, such as `/v1/channels/acme`."),
  ETag: header("Version of the resource, for `If-Match`."),
  "Retry-After": header("After how many seconds to try again.", { type: "integer", minimum: 1 }),
  Allow: header("The methods that the path supports."),
  "WWW-Authenticate": header("How to authenticate (RFC 6750)."),
  "Idempotent-Replayed": {
    ...header("`true`: this is the stored response to an earlier request with the same Idempotency-Key.", {
      type: "string",
      enum: ["true"],
    }),
    required: false,
  },
} as const

export type HeaderName = keyof typeof responseHeaders

type HeaderSchema = { type: "string" | "integer"; pattern?: string; minimum?: number; enum?: string[] }

export function header(description: string, schema: HeaderSchema = { type: "string" }) {
  return { description, required: true, schema }
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

/** The error responses that several routes share are components of the document, with these names. */
const shared = new Map(
  Object.entries({
    InvalidRequest: "invalid-request",
    InvalidPath: "unreadable-request",
    Unauthorized: "invalid-api-key",
    Forbidden: "missing-scope",
    NotFound: "not-found",
    MethodNotAllowed: "method-not-allowed",
    BodyTooLarge: "body-too-large",
    UnsupportedBody: "unsupported-body",
    IdempotencyKeyReused: "idempotency-key-reused",
    SecretShownOnce: "secret-shown-once",
    TooManyRequests: "too-many-requests",
    InternalError: "internal-error",
    Unavailable: "database-unavailable",
  } as const).map(([id, code]): [string, ZodOpenApiResponseObject] => [code, { id, ...response([code]) }]),
)

/** One response for all codes of a status. */
function response(codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const problems = codes.map((code) => ({ code, ...problemCodes[code] }))
  const headers = problems.slice(0, 1).flatMap(({ status }) => headersOf[status] ?? [])
  return {
    description: problems
      .map(({ code, meaning }) => (problems.length > 1 ? `\`${code}\`: ${meaning}` : meaning))
      .join(" "),
    headers: headerReferences(["X-Request-Id", ...headers]),
    content: {
      "application/problem+json": {
        schema: apiProblemSchema,
        examples: Object.fromEntries(
          problems.map(({ code, title, status }) => [
            code,
            { value: { type: `/problems/${code}`, code, title, status, request_id: "req_5f2c8e1a9b3d" } },
          ]),
        ),
      },
    },
  }
}

export function errorResponses(route: Route): ZodOpenApiResponsesObject {
  const needsKey = route.allow !== "anyone"
  const isPost = route.method === "post"
  const validates = route.body || route.query || (isPost && needsKey)
  const codes: ProblemCode[] = [
    ...(validates ? (["invalid-request"] as const) : route.params ? (["unreadable-request"] as const) : []),
    ...(needsKey ? (["invalid-api-key", "missing-scope"] as const) : []),
    ...(route.params ? (["not-found"] as const) : []),
    "method-not-allowed",
    ...(route.body ? (["body-too-large", "unsupported-body"] as const) : []),
    ...(route.shownOnce === undefined ? [] : (["secret-shown-once"] as const)),
    ...(isPost && isWrite(route) ? (["idempotency-key-reused"] as const) : []),
    ...(needsKey ? (["too-many-requests"] as const) : []),
    "internal-error",
    ...(needsKey ? (["database-unavailable"] as const) : []),
    ...(route.readsKafka ? (["kafka-unavailable"] as const) : []),
    ...(route.problems ?? []),
  ]
  const byStatus = Map.groupBy(new Set(codes), (code) => problemCodes[code].status)
  const responses = [...byStatus].map(([status, all]) => {
    const [only = ""] = all.length === 1 ? all : []
    return [status, shared.get(only) ?? response(all)]
  })
  return Object.fromEntries(responses)
}
