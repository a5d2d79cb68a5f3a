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
