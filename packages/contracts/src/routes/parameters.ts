import { z } from "zod"
import { identifierSchema } from "../api/identifier.ts"

export const idParameter = z.object({ id: identifierSchema })

export const deliveryIdParameter = z.object({
  id: z
    .uuid("must be a UUID, as in the header X-Sitewire-Delivery")
    .describe("As in the header X-Sitewire-Delivery."),
})
