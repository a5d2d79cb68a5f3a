import vectors from "@sitewire/signing/vectors.json" with { type: "json" }
import { expect, test } from "vitest"
import { sign, verify } from "./index.ts"

test.each(vectors)("vector: $name", ({ secret, body, body_utf8, header, valid, reason }) => {
  const bytes = Buffer.from(body, "base64")
  expect(verify({ body: bytes, header, secrets: [secret] })).toEqual(
    valid ? { valid: true, secret: 0 } : { valid: false, reason },
  )
  expect(sign(bytes, secret) === header).toBe(valid)
  if (body_utf8 !== undefined) {
    expect(Buffer.from(body_utf8)).toEqual(bytes)
    expect(sign(body_utf8, secret)).toBe(sign(bytes, secret))
  }
})

test("the vectors cover each outcome, and bodies that are and are not text", () => {
  const outcomes = new Set(vectors.map((vector) => vector.reason ?? "valid"))
  expect(outcomes).toEqual(new Set(["valid", "missing", "malformed", "mismatch"]))
  expect(vectors.some((vector) => vector.body_utf8 === undefined)).toBe(true)
  expect(new Set(vectors.map((vector) => vector.name)).size).toBe(vectors.length)
})
