import { z } from "zod"
import { identifierSchema } from "./identifier.ts"

export const refusedEventSchema = z
  .object({
    refused_at: z.iso.datetime(),
    reason: z.string().meta({ description: "Names fields and rules and never a value." }),
    event_id: z.string().nullable().meta({ description: "null: the record has no id that could be read." }),
    channel: identifierSchema
      .nullable()
      .meta({ description: "null: the record names none, or one that cannot exist." }),
    delivery: z.uuid().nullable().meta({
      description: "The delivery that an event of this id has become all the same; null: none.",
    }),
    bytes: z.int().nullable().meta({
      description: "Size of the value, which holds personal data and is not shown. null: none is kept.",
    }),
    from: z.string().meta({ description: "Where the record came from: topic, partition and offset." }),
  })
  .meta({ id: "RefusedEvent", description: "A record of site.paid that could not be delivered." })

export type RefusedEvent = z.infer<typeof refusedEventSchema>
