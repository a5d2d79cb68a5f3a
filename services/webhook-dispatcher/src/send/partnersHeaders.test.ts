import { expect, test } from "vitest"
import { redactExcerpt } from "./partnersHeaders.ts"

function redacted(quoted: Buffer, partners: Record<string, string>): string {
  const excerpt = { received: () => quoted, complete: () => true, within: async () => quoted }
  return redactExcerpt(excerpt, partners).received().toString("latin1")
}

test("a value that begins with another one is removed whole", () => {
  const partners = { "x-key": "marked", authorization: "Bearer marked-and-longer" }
  const quoted = Buffer.from("no: marked, Bearer marked-and-longer, marked-and-longer")
  expect(redacted(quoted, partners)).toBe("no: ***, ***, ***")
})

test("a value is removed from JSON, too, and its tokens wherever they are", () => {
  const authorization = 'Token token="9f86d081884c7d65", user="müller-und-söhne"'
  const latin1 = Buffer.from(`${JSON.stringify({ authorization })} 9f86d081884c7d65 `, "latin1")
  expect(redacted(latin1, { authorization })).toBe('{"authorization":"***"} *** ')
})

test("a response does not become longer", () => {
  const partners = { "x-one": "*", "x-two": "*", "x-three": "**", "x-dot": "." }
  expect(redacted(Buffer.from("*".repeat(1_024)), partners)).toBe("*".repeat(1_024))
  expect(redacted(Buffer.from("nothing of it"), partners)).toBe("nothing of it")
})
