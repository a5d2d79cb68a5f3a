import { z } from "zod"

/**
 * Text without control characters, because Postgres rejects NUL. Half of a surrogate pair is rejected, too,
 * because the driver replaces it, and two different texts would be stored as the same text.
 */
export const plainText = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not contain control characters or half of a surrogate pair")
