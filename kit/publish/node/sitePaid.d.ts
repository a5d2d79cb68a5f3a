// Written by kit/publish/generate.ts from docs/reference/schemas/site.paid.json.

/** A site bought through a channel is paid and ready for use. */
export type SitePaid = {
  /** Identifies the event. A second event with the same id is not delivered. For example `order-10042`. */
  id: string
  /** Sales channel through which the site was bought. For example `acme`. */
  channel: string
  /** The data-ref value that the partner gave to the purchase frame. For example `user-4711`. */
  reference: string
  /** URL of the new site. It must have two hexadecimal digits after each %, and must have a valid host. For example `https://bakery.example`. */
  site_url: string
  /** URL of the site's management console. It must have two hexadecimal digits after each %, and must have a valid host. For example `https://console.example/bakery`. */
  console_url: string
  /** Name of the site. For example `Bakery`. */
  name: string
  /** Contact address of the site's owner. Personal data. For example `owner@bakery.example`. */
  email: string
  /** Creation time, ISO 8601 with a UTC offset. It must be in the years 0000 to 9999, in UTC. For example `2026-03-01T12:00:00+01:00`. */
  created_at: string
}
