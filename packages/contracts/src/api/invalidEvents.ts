import { z } from "zod"
import { identifierSchema } from "./identifier.ts"

export const invalidEventSchema = z
  .object({
    rejected_at: z.iso.datetime(),
    reason: z.string().meta({ description: "Why the event is invalid: fields and rules, never a value." }),
    event_id: z.string().nullable().meta({ description: "null: the record contains no readable id." }),
    channel: identifierSchema
      .nullable()
      .meta({ description: "null: the record names no channel, or an impossible one." }),
    delivery: z.uuid().nullable().meta({
      description: "The delivery of a valid event with the same id. null: there is none.",
    }),
    bytes: z.int().nullable().meta({
      description:
        "Size of the value, which contains personal data and is not shown. null: the value was too large to be stored.",
    }),
    from: z.string().meta({ description: "Topic, partition and offset of the original record." }),
  })
  .meta({ id: "InvalidEvent", description: "A record of site.paid that is invalid and was not delivered." })

export type InvalidEvent = z.infer<typeof invalidEventSchema>
