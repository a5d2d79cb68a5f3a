import type { RequestHeaders } from "@sitewire/contracts"
import { type SealingKeys, sealRequestHeaders } from "@sitewire/database"
import { type AddressPolicy, vetUrl } from "@sitewire/egress"
import { invalidField } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"
import type { ApiContext } from "./implement.ts"

/**
 * Returns the normalised URL, so that the caller stores exactly what was checked. The IP addresses of the
 * host can change, so they are not checked here, but each time Sitewire calls the URL.
 */
export function checkAddress(
  field: string,
  text: string,
  policy: AddressPolicy,
): { kind: "ok"; href: string } | Problem {
  const verdict = vetUrl(text, policy)
  if (verdict.kind === "ok") return { kind: "ok", href: verdict.url.href }
  return invalidField("body", field, `${field}: ${verdict.message}`)
}

/** The same for a channel, by the rules of whoever may set its address. */
export function checkChannelAddress(
  { operatorsPolicy, partnersPolicy }: Pick<ApiContext, "operatorsPolicy" | "partnersPolicy">,
  address: string,
  partnerMayChange: boolean,
) {
  return checkAddress("address", address, partnerMayChange ? partnersPolicy : operatorsPolicy)
}

/** The columns that store the headers of the requests to a source or a receiver. */
export function requestHeaderColumns(keys: SealingKeys, context: string, headers: RequestHeaders) {
  const sealed = sealRequestHeaders(keys, context, headers)
  return {
    request_headers_sealed: sealed,
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
