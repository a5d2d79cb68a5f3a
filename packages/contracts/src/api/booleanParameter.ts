import { z } from "zod"

/** A boolean in a query string. Only `true` and `false` are valid, so that no typing error is read as true. */
export const booleanParameterSchema = z.enum(["true", "false"]).transform((text) => text === "true")
