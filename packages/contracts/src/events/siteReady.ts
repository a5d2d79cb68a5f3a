import { z } from "zod"
import { toMs } from "../values/time.ts"
import type { SitePaid } from "./sitePaid.ts"

/** `site.ready`: what a partner receives. Further fields may follow, so the published schema allows them. */
export const siteReadySchema = z
  .object({
    event: z.literal("site.ready").describe("Kind of event."),
    channel: z.string().describe("Sales channel through which the site was bought."),
    reference: z.string().describe("The data-ref value that the partner gave to the purchase frame."),
    site_url: z.string().describe("Absolute URL of the new site."),
    console_url: z.string().describe("Absolute URL of the site's management console."),
    name: z.string().meta({ description: "Name of the site.", examples: ["Bakery"] }),
    email: z.string().describe("Contact address of the site's owner. Personal data."),
    created_at: z
      .string()
      .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+]00:00$/)
      .meta({
        description: "Creation time as YYYY-MM-DDTHH:MM:SS+00:00.",
        examples: ["2026-03-01T12:00:00+00:00"],
      }),
  })
  .meta({
    id: "SiteReady",
    description: "A site bought through the partner's channel is paid and ready for use.",
  })

export type SiteReady = z.infer<typeof siteReadySchema>

/**
 * The bytes that every attempt sends. Called once per delivery, because a second serialisation could produce
 * other bytes.
 */
export function siteReadyBody(paid: SitePaid): Buffer {
  const ready: SiteReady = {
    event: "site.ready",
    channel: paid.channel,
    reference: paid.reference,
    site_url: paid.site_url,
    console_url: paid.console_url,
    name: paid.name,
    email: paid.email,
    created_at: utcSeconds(paid.created_at),
  }
  return Buffer.from(JSON.stringify(ready))
}

/** The contract's format of a time: UTC, whole seconds, `+00:00` and not `Z`. */
function utcSeconds(time: string): string {
  return `${new Date(toMs(time)).toISOString().slice(0, 19)}+00:00`
}
