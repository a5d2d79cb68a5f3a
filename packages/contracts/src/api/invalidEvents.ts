import { z } from "zod"
import { plainText } from "../values/plainText.ts"
import { identifierSchema } from "./identifier.ts"
import { pageQuerySchema } from "./pagination.ts"

/** How many invalid events a search reads from Kafka, the newest first. */
export const searchedInvalidEvents = 20_000

export const invalidEventQuerySchema = pageQuerySchema.extend({
  event: plainText
    .min(1)
    .max(200)
    .optional()
    .describe(
      `Only events whose id, record key or correlation is this text. Of those before the page, the newest ${searchedInvalidEvents} are searched.`,
    ),
})

export const invalidEventSchema = z
  .object({
    rejected_at: z.iso.datetime(),
    reason: z.string().describe("Why the event is invalid: fields and rules, never a value."),
    event_id: z.string().nullable().describe("null: the record contains no readable id."),
    key: z
      .string()
      .nullable()
      .describe(
        "The record's key, which should be the event's id. null: it has none, or not a text of up to 200 characters.",
      ),
    correlation: z.string().nullable().describe("The header `correlation`. null: it is missing or invalid."),
    channel: identifierSchema.nullable().describe("null: the record names no channel, or an impossible one."),
    delivery: z
      .uuid()
      .nullable()
      .describe(
        "The delivery of a valid event with the same id, or key if there is no id. null: there is none.",
      ),
    bytes: z
      .int()
      .nullable()
      .describe(
        "Size of the value, which contains personal data and is not shown. null: the value was too large to be stored.",
      ),
    from: z.string().describe("Topic, partition and offset of the original record."),
  })
  .meta({ id: "InvalidEvent", description: "A record of site.paid that is invalid and was not delivered." })

export type InvalidEvent = z.infer<typeof invalidEventSchema>
