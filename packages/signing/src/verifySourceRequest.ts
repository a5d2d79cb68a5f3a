import { requireOptions, type TimeOptions } from "./receiver/options.ts"
import type { RequestHeaders } from "./receiver/readHeader.ts"
import { secretKeys } from "./receiver/secretKeys.ts"
import { verifyStandardWebhooks } from "./receiver/standardWebhooksScheme.ts"
import type { Secrets } from "./requireSecrets.ts"
import { sourceRequestText } from "./sourceRequestText.ts"

/**
 * Verifies a request of Sitewire to a connection's source, which has no body.
 *
 * - `method`, `url`: of the request. `url` is the connection's source exactly as Sitewire shows it: take it from your
 *   configuration, because behind a proxy your server may see another scheme or host.
 * - `headers`: those of the request.
 * - `secrets`: the connection's signing secret; while it is replaced, the old and the new one.
 *
 * Rejects as `constructEvent` does, without `invalid-body`.
 */
export async function verifySourceRequest(
  method: string,
  url: string,
  headers: RequestHeaders,
  secrets: Secrets,
  options: TimeOptions = {},
): Promise<void> {
  const keys = secretKeys(secrets)
  requireOptions(options)
  await verifyStandardWebhooks(sourceRequestText(method, url), headers, keys, options)
}
