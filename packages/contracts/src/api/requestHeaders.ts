import { z } from "zod"

/** Of the requests to sources and to receivers: what Sitewire sets itself, what belongs to the connection or its proxies, and what would change the response's meaning. */
const reserved = new Set([
  "accept-encoding",
  "cache-control",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "pragma",
  "range",
  "te",
  "traceparent",
  "tracestate",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
])
const reservedPatterns = [
  /^if-/,
  /^proxy-/,
  /^webhook-/,
  /^x-[a-z0-9]+-(connection|signature|delivery|attempt|test|challenge)$/,
]

function isReserved(name: string): boolean {
  return reserved.has(name) || reservedPatterns.some((pattern) => pattern.test(name))
}

const reservedMessage =
  "must not be a header that Sitewire sets itself or that controls the connection, such as Host, User-Agent or If-None-Match"

/** Header names in lower case. At most 16 KiB in total, which servers accept. */
export const requestHeadersSchema = z
  .array(
    z.strictObject({
      name: z
        .string()
        .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, "must be 1 to 64 characters of a header name")
        .toLowerCase()
        .refine((name) => !isReserved(name), reservedMessage)
        .meta({
          description: "Case is ignored.",
          examples: ["Authorization"],
          "x-rejections": [reservedMessage],
        }),
      value: z
        .string()
        .max(4_000)
        .regex(/^[!-~]([ -~]*[!-~])?$/, "must be visible ASCII characters, and spaces between them")
        .meta({ description: "A secret.", writeOnly: true, examples: ["Bearer example"] }),
    }),
  )
  .max(4)
  .refine((headers) => new Set(headers.map(({ name }) => name)).size === headers.length, {
    error: "must not contain a name twice",
  })
  .meta({ "x-rejections": ["must not contain a name twice"] })

/** What a connection or a channel shows of its request headers. */
export const shownRequestHeaders = {
  request_header_names: z
    .array(z.string())
    .describe("Names of the headers of each request. Their values are never shown."),
  request_headers_changed_at: z.iso
    .datetime()
    .nullable()
    .describe("When they were last set or removed. null: never."),
}

export type RequestHeaders = z.infer<typeof requestHeadersSchema>
