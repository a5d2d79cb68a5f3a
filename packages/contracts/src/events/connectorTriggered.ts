import { z } from "zod"

/** `connector.triggered`: a partner has said that a connection's data changed. Keyed by the connection. */
export const connectorTriggeredSchema = z
  .object({
    connection: z.string().min(1).max(64),
    first_at: z.iso.datetime().meta({ description: "When the first of the merged triggers was accepted." }),
    last_at: z.iso.datetime().meta({ description: "When the last of the merged triggers was accepted." }),
    count: z.int().min(1).meta({ description: "How many accepted triggers this record merges." }),
    correlation: z
      .string()
      .max(200)
      .meta({ description: "Follows the trigger into every log line of its sync." }),
  })
  .meta({ id: "ConnectorTriggered", description: "A connection's data changed; it is to be synchronised." })

export type ConnectorTriggered = z.infer<typeof connectorTriggeredSchema>
