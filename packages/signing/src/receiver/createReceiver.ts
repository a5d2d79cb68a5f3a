import { constructEvent } from "../constructEvent.ts"
import type { Secrets } from "../requireSecrets.ts"
import type { SiteReady } from "../siteReady.ts"
import { WebhookError } from "../webhookError.ts"
import { type ConstructEventOptions, requireOptions } from "./options.ts"
import { type RequestHeaders, readBeside } from "./readHeader.ts"
import { secretKeys } from "./secretKeys.ts"

/** A list, or a function that is called for each request, so that a rotation needs no restart. */
export type HandlerSecrets = Secrets | (() => Secrets | Promise<Secrets>)

/** Called for each genuine event. The response is 204 after it returns, and the framework's 500 if it throws. */
export type OnSiteReady<Request> = (event: SiteReady, request: Request) => unknown

export type HandlerOptions = Omit<ConstructEventOptions, "now"> & {
  /** The largest body in bytes. Default: 65536. */
  limit?: number
}

/** The response to a request. `body` is sent as JSON. */
export type Answer = {
  status: 204 | 400 | 401
  headers: Readonly<Record<string, string>>
  body?: { fault: string }
}

/**
 * What all handlers have in common: verifies, calls the user's function, and returns the response. Throws a TypeError for
 * secrets and options that cannot work, so that an application without a secret stops at its start.
 */
export function createReceiver<Request>(
  secrets: HandlerSecrets,
  onSiteReady: OnSiteReady<Request>,
  { limit = 65_536, ...options }: HandlerOptions = {},
) {
  if (typeof secrets !== "function") secretKeys(secrets)
  if (typeof onSiteReady !== "function")
    throw new TypeError("There is no function, so events would be lost. Pass one that gets the event.")
  requireOptions(options)
  if (!Number.isInteger(limit) || limit < 0) throw new TypeError("The option limit is not a number of bytes.")

  return {
    limit,
    async receive(body: Uint8Array, headers: RequestHeaders, request: Request): Promise<Answer> {
      const accepted = typeof secrets === "function" ? await secrets() : secrets
      let event: SiteReady
      try {
        event = await constructEvent(body, headers, accepted, options)
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error
        const { fault } = error
        return { status: fault === "invalid-body" ? 400 : 401, headers: {}, body: { fault } }
      }
      await onSiteReady(event, request)
      return { status: 204, headers: challengeHeaders(headers, options.header) }
    },
  }
}

/**
 * Before Sitewire sends deliveries to an address that the partner has set, it sends a genuine test delivery with a challenge,
 * which the receiver returns in the same header.
 */
function challengeHeaders(
  headers: RequestHeaders,
  signature = "X-Sitewire-Signature",
): Record<string, string> {
  const { name, value } = readBeside(headers, signature, "Challenge")
  return /^[\w-]{1,200}$/.test(value) ? { [name]: value } : {}
}
