import { z } from "zod"

/** An id that its creator may choose. It needs no escaping in URLs, record keys and log lines. */
export const identifierSchema = z
  .string()
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/,
    "must be 1 to 64 letters, digits, - or _, beginning with a letter or digit",
  )
