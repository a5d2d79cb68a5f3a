import { z } from "zod"

/** The field of records that names a connection. */
export const connectionIdSchema = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: "Id of the connection.", examples: ["bakery-products"] })
