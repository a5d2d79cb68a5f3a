import { identifierSchema } from "@sitewire/contracts"
import { z } from "zod"

export const byId = z.object({ id: identifierSchema })

export const byDeliveryId = z.object({
  id: z
    .uuid("a delivery's id is a UUID, as in X-Sitewire-Delivery")
    .meta({ description: "As in X-Sitewire-Delivery." }),
})
