import { z } from "zod"

/**
 * Text without control characters: Postgres rejects NUL in text. Half of a surrogate pair is rejected too,
 * because the driver replaces it, and two different texts would be stored as one.
 */
export const plainText = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not contain control characters or half of a surrogate pair")
