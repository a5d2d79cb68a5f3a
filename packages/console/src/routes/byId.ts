import { identifierSchema } from "@sitewire/contracts"
import { z } from "zod"

export const byId = z.object({ id: identifierSchema })

export const byDeliveryId = z.object({ id: z.uuid().meta({ description: "As in X-Sitewire-Delivery." }) })
