import { z } from "zod"

/**
 * No control characters: what is stored as text in Postgres must not hold NUL, and nothing else here needs the others.
 * Nor half of a surrogate pair, of which Postgres gets a replacement that another text may have as well.
 */
export const plainText = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not hold control characters or half of a surrogate pair")
