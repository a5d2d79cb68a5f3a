import { expect, test } from "vitest"
import { redactExcerpt } from "./partnersHeaders.ts"

test("a value that begins with another one is removed whole", () => {
  const partners = { "x-key": "marked", authorization: "Bearer marked-and-longer" }
  const quoted = Buffer.from("no: marked, Bearer marked-and-longer, marked-and-longer")
  const excerpt = { received: () => quoted, complete: () => true, within: async () => quoted }
  expect(redactExcerpt(excerpt, partners).received().toString()).toBe("no: ***, ***, ***")
})
