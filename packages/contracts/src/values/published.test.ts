import fc from "fast-check"
import { expect, test } from "vitest"
import { z } from "zod"
import { calledUrl } from "./httpUrl.ts"
import { oneLine } from "./plainText.ts"

// zod removes white space before it checks a URL, and so can a schema before a check of its own.
const urls = fc
  .tuple(
    fc.constantFrom("", "", " ", "\n", "x"),
    fc.constantFrom("https", "http", "HTTPS", "ftp"),
    fc.constantFrom("://", "://", "://", ":", ":/", ":///", "://@", "://:@", "://u:p@", ":\\\\"),
    fc.constantFrom("partner.example", "partner.example:8443", "[2001:db8::1]", "ü.example"),
    fc.constantFrom("", "/", "/hook", "?a=b", "/a b@c", "\\b", "\\b@c", "#", "/#a"),
    fc.constantFrom("", "", " ", "\n"),
  )
  .map((parts) => parts.join(""))
const lines = fc
  .array(fc.constantFrom("a", "é", " ", "\t", "\n", "\u0000", "\u0085", "\u00a0", "\ufeff"), { maxLength: 8 })
  .map((characters) => characters.join(""))

test.each([
  ["calledUrl", calledUrl, urls],
  ["oneLine", oneLine(5), lines],
])("%s accepts only texts that fit the published schema", (_, schema, near) => {
  const { maxLength = 0 } = z.toJSONSchema(schema, { io: "input" })
  const { override } = z.globalRegistry.get(schema) as { override: { pattern: string } }
  const pattern = new RegExp(override.pattern, "u")
  let accepted = 0
  fc.assert(
    fc.property(fc.oneof(near, near, near, fc.string({ unit: "binary" })), (text) => {
      if (!schema.safeParse(text).success) return
      accepted++
      expect([...text].length <= maxLength && pattern.test(text), JSON.stringify(text)).toBe(true)
    }),
    { numRuns: 5_000 },
  )
  expect(accepted).toBeGreaterThan(10)
})
