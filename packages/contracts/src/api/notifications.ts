import { z } from "zod"
import {
  notificationEventSchema,
  notificationFields,
  notificationStatusSchema,
} from "../events/operatorNotification.ts"
import { plainText } from "../values/plainText.ts"
import { pageQuerySchema } from "./pagination.ts"

export const notificationQuerySchema = pageQuerySchema.extend({
  status: notificationStatusSchema.optional(),
  event: notificationEventSchema.optional(),
  subject: plainText
    .min(1)
    .max(300)
    .optional()
    .meta({ description: "Only of the channel with this id, or of the host.", examples: ["acme"] }),
})

export const notificationSchema = z
  .object({
    id: z.string().meta({ examples: ["ntf_5f2c8e1a9b3d"] }),
    ...notificationFields,
    created_at: z.iso.datetime().meta({ description: "When the problem was noticed." }),
    resolved_at: z.iso.datetime().nullable().meta({
      description: "When it was noticed that the problem is over. null: it is not.",
    }),
  })
  .meta({ id: "Notification", description: "A problem that operators are notified of." })

export type NotificationQuery = z.output<typeof notificationQuerySchema>
export type Notification = z.infer<typeof notificationSchema>
