import { hmac, requireSecrets } from "./hmac.ts"

/**
 * The headers of Standard Webhooks 1.0 (standardwebhooks.com): HMAC-SHA256 over `<id>.<timestamp>.<body>`.
 *
 * - `id`: the same on every attempt, so that receivers can tell a repetition.
 * - `timestamp`: of this attempt, in whole seconds since 1970. Receivers refuse one that is minutes away from
 *   their clock, so it is taken, and signed, anew on each attempt.
 * - `secrets`: one signature each, in this order, separated by spaces.
 *
 * Throws a TypeError for an id or timestamp that could not be verified.
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
  // The full stop separates what is signed: with one in the id, two messages could share one signature.
  if (!/^[!-~]+$/.test(id) || id.includes(".")) {
    throw new TypeError("The webhook id must be visible ASCII characters without a full stop.")
  }
  // Seconds have ten digits until the year 2286; thirteen are milliseconds, which every receiver refuses.
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
 * The channel's secret in the form that the standardwebhooks libraries take: they decode base64 to get the key,
 * and our key is the UTF-8 bytes of the secret itself.
 */
export function standardWebhooksSecret(secret: string): string {
  requireSecrets([secret])
  return `whsec_${Buffer.from(secret, "utf8").toString("base64")}`
}
