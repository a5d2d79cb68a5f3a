import { z } from "zod"

// Control characters and JavaScript's white space, without \\p{…}, \\s and \\u, which not all of JavaScript, Python and Go
// understand in the same way. U+FEFF is missing: a Go file cannot contain it, and so no client that is generated from the pattern.
export const control = "\\x00-\\x1f\\x7f-\\x9f"
const space = " \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

/** For a character class: control characters and what Unicode calls a space. */
export const controlOrSpace = "\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

/**
 * Text that matches the pattern, which must not allow NUL, because Postgres rejects it. Half of a surrogate pair is rejected, too: the
 * driver would store two different texts as the same one, and strict parsers reject the JSON text of it.
 */
export const textLike = (pattern: string, error: string | ((issue: { input?: unknown }) => string)) =>
  z
    .string()
    .regex(new RegExp(pattern, "u"), { error, abort: true })
    .refine((text) => text.isWellFormed(), "must not contain half of a surrogate pair")
    // The source of a RegExp has escapes that not all languages understand.
    .meta({ override: { pattern } })

/** Text without control characters. */
export const plainText = textLike(`^[^${control}]*$`, "must not contain control characters")

/** Text of any lines, which partners get as JSON. */
export const anyText = textLike("^[^\\x00]*$", "must not contain NUL (U+0000)")

/** One line of text that is not only white space. Spaces around it are removed. */
export function oneLine(maxLength: number) {
  return plainText
    .max(maxLength)
    .trim()
    .min(1)
    .meta({ override: { pattern: `^[^${control}]*[^${control}${space}][^${control}]*$` } })
}
