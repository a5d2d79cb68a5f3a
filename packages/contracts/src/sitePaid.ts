import { z } from "zod"

/**
 * No control characters: what is stored as text in Postgres must not hold NUL, and nothing else here needs the others.
 * Nor half of a surrogate pair, of which Postgres gets a replacement that another id may have as well.
 */
const plainText = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not hold control characters or half of a surrogate pair")
const absoluteUrl = z.url({ protocol: /^https?$/ }).max(2048)

/**
 * `site.paid`: an internal service says that a site was bought through a channel, is paid and ready for use.
 * Unknown fields are ignored, so a publisher may add to its event without telling us.
 */
export const sitePaidSchema = z
  .object({
    id: plainText
      .min(1)
      .max(200)
      .meta({ description: "Identifies the event. A second event with the same id is ignored." }),
    channel: plainText
      .min(1)
      .max(64)
      .meta({ description: "Sales channel through which the site was bought." }),
    reference: z
      .string()
      .max(1024)
      .meta({ description: "The data-ref value that the partner gave to the purchase frame." }),
    site_url: absoluteUrl.meta({ description: "Address of the new site." }),
    console_url: absoluteUrl.meta({ description: "Address of the site's management console." }),
    name: z.string().max(512).meta({ description: "Name of the site." }),
    email: z
      .email({ pattern: z.regexes.unicodeEmail })
      .max(320)
      .meta({ description: "Contact address of the site's owner. Personal data." }),
    created_at: z.iso
      .datetime({ offset: true })
      .meta({ description: "Creation time, ISO 8601 with an offset from UTC." }),
  })
  .meta({ id: "SitePaid", description: "A site bought through a channel is paid and ready for use." })

export type SitePaid = z.infer<typeof sitePaidSchema>
