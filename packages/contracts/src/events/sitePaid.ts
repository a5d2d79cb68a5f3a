import { z } from "zod"
import { anyEmailAddress } from "../values/emailAddress.ts"
import { httpUrl } from "../values/httpUrl.ts"
import { anyText, plainText } from "../values/plainText.ts"
import { timeWithOffset } from "../values/time.ts"

const tooFar = "must be in the years 0000 to 9999, in UTC"

/**
 * The event `site.paid`: a site was bought through a channel, is paid and ready for use. Internal services
 * publish it. They may add fields, because unknown fields are ignored.
 */
export const sitePaidSchema = z
  .object({
    id: plainText
      .min(1)
      .max(200)
      .meta({
        description: "Identifies the event. A second event with the same id is not delivered.",
        examples: ["order-10042"],
      }),
    channel: plainText
      .min(1)
      .max(64)
      .meta({ description: "Sales channel through which the site was bought.", examples: ["acme"] }),
    // The contract has no limit. With this one, the body fits into the 64 KiB that the kit's receivers read, and 500 bodies into a statement.
    reference: anyText.max(16_384).meta({
      description: "The data-ref value that the partner gave to the purchase frame.",
      examples: ["user-4711"],
    }),
    site_url: httpUrl.meta({ description: "URL of the new site.", examples: ["https://bakery.example"] }),
    console_url: httpUrl.meta({
      description: "URL of the site's management console.",
      examples: ["https://console.example/bakery"],
    }),
    name: anyText.max(512).meta({ description: "Name of the site.", examples: ["Bakery"] }),
    email: anyEmailAddress.meta({
      description: "Contact address of the site's owner. Personal data.",
      examples: ["owner@bakery.example"],
    }),
    created_at: timeWithOffset
      // site.ready contains the time in UTC, with four digits for the year. Because of its UTC offset, a time
      // on these two days can be in the year -1 or 10000 in UTC.
      .refine((time) => !/^(0000-?01-?01|9999-?12-?31)/.test(time), tooFar)
      .meta({
        description: "Creation time, ISO 8601 with a UTC offset.",
        examples: ["2026-03-01T12:00:00+01:00"],
        "x-rejections": [tooFar],
      }),
  })
  .meta({ id: "SitePaid", description: "A site bought through a channel is paid and ready for use." })

export type SitePaid = z.infer<typeof sitePaidSchema>
