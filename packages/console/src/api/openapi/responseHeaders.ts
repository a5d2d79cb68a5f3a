import type { ResponseHeader } from "@sitewire/contracts/routes"

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
