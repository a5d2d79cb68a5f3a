import { z } from "zod"

// Control characters and JavaScript's white space, without \\p{…}, \\s and \\u, which not all of JavaScript, Python and Go
// understand in the same way.
const control = "\\x00-\\x1f\\x7f-\\x9f"
const space = " \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

const noControl = new RegExp(`^[^${control}]*$`)
const message = "must not contain control characters or half of a surrogate pair"

/**
 * Text without control characters, because Postgres rejects NUL. Half of a surrogate pair is rejected, too,
 * because the driver replaces it, and two different texts would be stored as the same text.
 */
export const plainText = z
  .string()
  .regex(noControl, message)
  .refine((text) => text.isWellFormed(), message)

/**
 * Text that partners get as JSON. Half of a surrogate pair is rejected, because parsers of several languages reject the JSON text
 * of one, or fail later.
 */
export const wellFormedText = z
  .string()
  .refine((text) => text.isWellFormed(), "must not contain half of a surrogate pair")

/** One line of text that is not only white space. Spaces around it are removed. */
export function oneLine(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .regex(noControl, "must not contain control characters")
    .trim()
    .min(1)
    .meta({ override: { pattern: `^[^${control}]*[^${control}${space}][^${control}]*$` } })
}
