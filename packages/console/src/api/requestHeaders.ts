import type { RequestHeaders } from "@sitewire/contracts"
import { type SealingKeys, sealRequestHeaders } from "@sitewire/database"
import { invalidField } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"

/** The columns that store the headers of the requests to a source or a receiver. */
export function requestHeaderColumns(keys: SealingKeys, context: string, headers: RequestHeaders) {
  const sealed = sealRequestHeaders(keys, context, headers)
  return {
    request_headers_sealed: sealed && new Uint8Array(sealed),
    request_header_names: headers.map(({ name }) => name),
    request_headers_changed_at: new Date(),
  }
}

/**
 * Request headers are sent to the origin for which they were given. Otherwise, a key that may change the address could
 * have them sent to a server of its own.
 */
export function checkHeadersOrigin(
  names: readonly string[],
  given: RequestHeaders | undefined,
  { from, to }: { from: string; to: string },
): Problem | null {
  if (names.length === 0 || given !== undefined || new URL(from).origin === new URL(to).origin) return null
  return invalidField("body", "request_headers", headersNeeded)
}

const headersNeeded =
  "request_headers is required: there are request headers, which would be sent to another scheme, host or port. Give those for the new address, or an empty list to remove them"
