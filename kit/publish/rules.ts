import { readFileSync } from "node:fs"

const file = new URL("../../docs/reference/schemas/site.paid.json", import.meta.url)
type Property = Record<string, unknown> & { description: string; pattern: string; examples: string[] }
export const schema: { description: string; required: string[]; properties: Record<string, Property> } =
  JSON.parse(readFileSync(file, "utf8"))

/** A text must match the pattern (`match`) or must not (`refuse`). The last two parts complete the error message. */
type Check = ["match" | "refuse", pattern: string, wrong: string, remedy: string]

const matching =
  (wrong: string, remedy: string) =>
  (pattern: string): Check[] => [["match", pattern, wrong, remedy]]
const plainText = matching("contains control characters", "Remove line breaks, tabs and the like.")
const text = matching("contains NUL", "Remove the character U+0000.")
const email = matching(
  "is not an e-mail address",
  "Set one address without a name, such as owner@bakery.example.",
)
const url = (pattern: string): Check[] => [
  [
    "match",
    "^[hH][tT][tT][pP][sS]?://[^/?#]",
    "is not an absolute http or https URL",
    "Begin it with https:// and the host.",
  ],
  [
    "refuse",
    "[\\x00-\\x20\\x7f-\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]",
    "contains white space or control characters",
    "Remove or percent-encode them.",
  ],
  [
    "refuse",
    '["<>\\\\^`{|}]|%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)',
    "contains characters that no URL may contain, or a % without two hexadecimal digits",
    "Percent-encode them; % is %25.",
  ],
  [
    "match",
    pattern,
    "has an invalid host, port, path or fragment",
    "Correct what follows //; square brackets in a path are %5B and %5D, a second # is %23.",
  ],
]
const dateTime = (pattern: string): Check[] => [
  ["refuse", timeWithoutOffset, "has no UTC offset", "Append Z for UTC, or an offset such as +01:00."],
  [
    "match",
    `${timeWithoutOffset.slice(0, -1)}(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)$`,
    "is not a time in ISO 8601 with a UTC offset",
    "Format it as 2026-03-01T12:00:00+01:00.",
  ],
  [
    "match",
    pattern,
    "is a day, a time of day or a UTC offset that does not exist",
    "Correct its numbers, as in 2026-03-01T12:00:00+01:00.",
  ],
  [
    "refuse",
    "^(?:0000-?01-?01|9999-?12-?31)",
    "is not in the years 0000 to 9999 in UTC",
    "Set the real time.",
  ],
]
const timeWithoutOffset = "^[0-9]{4}-?[0-9]{2}-?[0-9]{2}[Tt ][0-9]{2}(?::?[0-9]{2}){0,2}(?:[.,][0-9]+)?$"

/** What the schema's pattern means, and what a pattern cannot say or the schema says in words only. */
const meanings: Record<string, (pattern: string) => Check[]> = {
  id: plainText,
  channel: plainText,
  reference: text,
  site_url: url,
  console_url: url,
  name: text,
  email,
  created_at: dateTime,
}
const known = ["type", "minLength", "maxLength", "pattern", "description", "examples"]

const toAscii = (pattern: string) =>
  pattern.replaceAll(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

const ofFields = Object.entries(schema.properties).flatMap(([field, property]) => {
  const { type, minLength = 0, maxLength = 2 ** 31 - 1, description, pattern = "" } = property
  const meaning = meanings[field]
  const isNew = type !== "string" || Object.keys(property).some((keyword) => !known.includes(keyword))
  if (isNew || !schema.required.includes(field) || !meaning)
    throw new Error(`site.paid.json has a new rule for ${field}. Add its meaning to kit/publish/rules.ts.`)
  return [["field", field, minLength, maxLength, description], ...meaning(toAscii(pattern))]
})

const ofHeaders = [
  ["header", "correlation", 1, 200, "Follows the event through all log lines."],
  ["match", "^[!-~]*$", "is not printable ASCII without spaces", "Remove all other characters."],
  ["header", "traceparent", 1, 512, "The trace that the delivery continues."],
  [
    "match",
    "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)",
    "is not a traceparent of W3C Trace Context",
    "Take it from your tracing library.",
  ],
]

/**
 * The rules as text that every language reads: one line for a field (name, minimum and maximum length, description),
 * followed by a line for each of its checks; with tabs between the parts. ASCII only. Lengths are in Unicode code points.
 */
export const rules = [...ofFields, ...ofHeaders].map((parts) => `${parts.join("\t")}\n`).join("")
