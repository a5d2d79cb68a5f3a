import { z } from "zod"
import { plainText } from "../values/plainText.ts"

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
      // In UTC these may be of a year that four digits cannot tell, and site.ready has four.
      .refine(
        (instant) => !/^(0000-01-01|9999-12-31)/.test(instant),
        "must lie within the years 0000 to 9999 in UTC",
      )
      .meta({ description: "Creation time, ISO 8601 with an offset from UTC." }),
  })
  .meta({ id: "SitePaid", description: "A site bought through a channel is paid and ready for use." })

export type SitePaid = z.infer<typeof sitePaidSchema>
