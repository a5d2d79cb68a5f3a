import { expect, test } from "vitest"
import { readRecord } from "./readRecord.ts"
import { sitePaidSchema } from "./sitePaid.ts"

const read = (text: string) => readRecord(sitePaidSchema, Buffer.from(text))

test("a refusal names fields and rules, and never a value", () => {
  const secret = "owner@shop.example"
  for (const text of [
    secret,
    `{"email":"${secret}"`,
    JSON.stringify({ id: secret, email: `${secret} ${secret}` }),
    `"${secret}"`,
  ]) {
    const result = read(text)
    expect(result.ok).toBe(false)
    expect(JSON.stringify(result)).not.toContain("shop.example")
  }
  expect(read(JSON.stringify({ email: "x" }))).toMatchObject({ reason: expect.stringContaining("email: ") })
})

test("no value, bad UTF-8 and bad JSON are told apart", () => {
  expect(readRecord(sitePaidSchema, null)).toEqual({ ok: false, reason: "no value" })
  expect(readRecord(sitePaidSchema, Buffer.from([0xff, 0xfe]))).toEqual({ ok: false, reason: "not UTF-8" })
  expect(read("{")).toEqual({ ok: false, reason: "not JSON" })
})

test("half of a surrogate pair in an id is refused: stored, two such ids would be one", () => {
  for (const half of ["\ud800", "\udc00"]) {
    expect(read(JSON.stringify({ id: `shop-${half}` }))).toMatchObject({
      reason: expect.stringContaining("half of a surrogate pair"),
    })
  }
  expect(read(JSON.stringify({ id: "shop-\u{1f6d2}" }))).not.toMatchObject({
    reason: expect.stringContaining("surrogate"),
  })
})
