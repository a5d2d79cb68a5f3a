import { requireSecret, requireSecrets } from "../requireSecrets.ts"
import { hmac } from "./hmac.ts"

/**
 * The headers of Standard Webhooks 1.0 (standardwebhooks.com): HMAC-SHA256 over `<id>.<timestamp>.<body>`.
 *
 * - `id`: the same on every attempt, so that receivers can recognise a repetition.
 * - `timestamp`: the time of this attempt, in whole seconds since 1970. Receivers refuse a time that is
 *   minutes away from their clock, so each attempt needs a new one.
 * - `secrets`: each adds one signature to the header, in this order.
 *
 * Throws a TypeError for an id or timestamp that receivers could not verify.
 */
export function standardWebhooksHeaders({
  id,
  timestamp,
  body,
  secrets,
}: {
  id: string
  timestamp: number
  body: Uint8Array | string
  secrets: readonly string[]
}): { "webhook-id": string; "webhook-timestamp": string; "webhook-signature": string } {
  requireSecrets(secrets)
  // Full stops separate the signed parts. If an id contained one, two messages could have the same signature.
  if (!/^[!-~]+$/.test(id) || id.includes(".")) {
    throw new TypeError("The webhook id must be visible ASCII characters without a full stop.")
  }
  // Seconds have ten digits until the year 2286. Thirteen digits are milliseconds, which receivers refuse.
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp >= 1e10) {
    throw new TypeError(
      `The webhook timestamp ${timestamp} is not in whole seconds. Divide, then round down.`,
    )
  }
  const signatures = secrets.map(
    (secret) => `v1,${hmac(secret, `${id}.${timestamp}.`, body).digest("base64")}`,
  )
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  }
}

/**
 * The channel's secret in the form that the standardwebhooks libraries take. They decode it from base64 to
 * get the key. Sitewire's key is the secret's UTF-8 bytes.
 */
export function standardWebhooksSecret(secret: string): string {
  requireSecret(secret)
  return `whsec_${Buffer.from(secret, "utf8").toString("base64")}`
}
