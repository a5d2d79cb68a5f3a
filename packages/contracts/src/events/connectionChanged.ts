import { z } from "zod"
import { connectionIdSchema } from "./connectionId.ts"

/**
 * A record of `connection.changed`: a connection has a new content. Its key is the connection's id. A record without a
 * value (a tombstone) states that the connection was deleted.
 */
export const connectionChangedSchema = z
  .object({
    connection: connectionIdSchema,
    site: z.string().meta({ description: "Host of the owner's site.", examples: ["bakery.example"] }),
    fence: z
      .int()
      .min(1)
      .meta({
        description: "Number of the sync that stored the content. It is read with `?fence=`.",
        examples: [57],
      }),
    content_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({
        description: "SHA-256 of the content, in hexadecimal.",
        examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
      }),
    bytes: z
      .int()
      .min(0)
      .meta({ description: "Size of the content.", examples: [20_481] }),
    content_type: z
      .string()
      .nullable()
      .meta({
        description:
          "As the source stated it when it was fetched as new content. null: it stated none. A later change of the type alone is neither stored nor published.",
        examples: ["application/json"],
      }),
    stored_at: z.iso
      .datetime()
      .meta({ description: "When the content was stored.", examples: ["2026-03-01T12:00:03.250Z"] }),
  })
  .meta({ id: "ConnectionChanged", description: "A connection has a new content, which can be read." })

export type ConnectionChanged = z.infer<typeof connectionChangedSchema>
