import { z } from "zod"
import { connectionIdSchema } from "./connectionId.ts"

/**
 * A record of `connector.triggered`: partners have called a connection's trigger URL. Its key is the
 * connection's id.
 */
export const connectorTriggeredSchema = z
  .object({
    connection: connectionIdSchema,
    first_at: z.iso.datetime().meta({
      description: "When the first of the merged triggers was accepted.",
      examples: ["2026-03-01T12:00:00.000Z"],
    }),
    last_at: z.iso.datetime().meta({
      description: "When the last of the merged triggers was accepted.",
      examples: ["2026-03-01T12:00:02.500Z"],
    }),
    count: z
      .int()
      .min(1)
      .meta({ description: "How many accepted triggers this record merges.", examples: [3] }),
    correlation: z
      .string()
      .max(200)
      .meta({
        description: "Id of the trigger in the log lines of its sync.",
        examples: ["trg_5f2c8e1a9b3d"],
      }),
  })
  .meta({ id: "ConnectorTriggered", description: "A connection's data changed and needs a sync." })

export type ConnectorTriggered = z.infer<typeof connectorTriggeredSchema>
