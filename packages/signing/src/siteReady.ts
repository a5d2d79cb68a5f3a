import { WebhookError } from "./webhookError.ts"

/** A site is ready. `site_url` identifies the site: a later event with the same one replaces this one. */
export type SiteReady = {
  event: "site.ready"
  /** The id of your channel. */
  channel: string
  /** What the order named as its customer's reference. */
  reference: string
  site_url: string
  console_url: string
  name: string
  /** The owner's address. */
  email: string
  /** Date and time in ISO 8601. */
  created_at: string
  /**
   * The id of the delivery that the event came in, "" if its header is missing. Of two deliveries of a site, the one with the greater
   * id, as text, has the newer content. With `standard-webhooks`, it was signed.
   */
  delivery: string
}

const fields = ["channel", "reference", "site_url", "console_url", "name", "email", "created_at"] as const

/** Reads a signed body. Unknown fields are left out. Throws a WebhookError `invalid-body`. */
export function parseSiteReady(body: Uint8Array, delivery: string): SiteReady {
  const value = parseJson(body)
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid("is no JSON object")
  const given: Partial<Record<string, unknown>> = { ...value }
  if (given.event !== "site.ready") throw invalid("has an `event` other than site.ready")
  const texts = fields.map((field) => {
    const text = given[field]
    if (typeof text !== "string") throw invalid(`has no text in \`${field}\``)
    return [field, text]
  })
  const event = Object.fromEntries(texts) as Record<(typeof fields)[number], string>
  return { event: "site.ready", ...event, delivery }
}

function parseJson(body: Uint8Array): unknown {
  try {
    // `fatal`: a decoder that replaces invalid bytes would return a text that nobody signed. `ignoreBOM` keeps a byte
    // order mark in the text, which JSON does not allow.
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    // The error of JSON.parse quotes the body.
    throw invalid("is not JSON in UTF-8")
  }
}

function invalid(what: string): WebhookError {
  return new WebhookError(
    "invalid-body",
    `The signature is right, but the body ${what}, so it is no site.ready event of this version. Respond 400, and ` +
      "compare the body with the documentation.",
  )
}
