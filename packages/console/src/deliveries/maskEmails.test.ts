import { expect, test, vi } from "vitest"
import { maskEmails } from "./maskEmails.ts"

test.each([
  ["o@x.example", "o***@x.example"],
  ["a,b:c/d=e@x.example", "a***@x.example"],
  ["ünï.cödé+tag@bücher.example and b@c.example", "ü***@bücher.example and b***@c.example"],
  ["https://user:password@shop.example/?mail=a@b.example", "h***@shop.example/***@b.example"],
  ["@handle, 5 @ 3", "@handle, 5 @ 3"],
  ["a@@b.example c@", "a@@b.example c@"],
  ["a@b@c.example", "a***@b@c.example"],
  ['"jane doe"@x.example', "***@x.example"],
  ['"jane\\"s doe"@x', "***@x"],
  ['{"a":"b","email":"\\"jane doe\\"@x.example"}', '{"a":"b","email":"***@x.example"}'],
  ['and "@x.example', 'and "@x.example'],
  ["mail=jane%40x.example&more", "m***%40x.example&more"],
  ["jane%40doe@x.example a%40b%40c", "j***@x.example a***%40c"],
  ["\u{1f600}x@shop.example", "\u{1f600}***@shop.example"],
])("%s is masked as %s", (text, masked) => {
  expect(maskEmails(text)).toBe(masked)
})

/** How many characters are read. */
function countSteps(text: string): number {
  const read = vi.spyOn(String.prototype, "charAt")
  try {
    maskEmails(text)
    return read.mock.calls.length
  } finally {
    read.mockRestore()
  }
}

test.each(["a", "@", "a@", "@a", "a@a ", "a@,", '"@', "a.b@c.d/", "@@a", "%40", "a%40(", '"a"@b ', 'a"@'])(
  "the time to mask a text of which half is repeated %j is linear in its length",
  (part) => {
    const textOf = (length: number) => `${part.repeat(length / part.length / 2)}${"a".repeat(length / 2)}@x`
    const steps = countSteps(textOf(50_000))
    expect(steps).toBeGreaterThan(0)
    expect(steps).toBeLessThan(2 * 50_000 + 10)
    expect(countSteps(textOf(100_000))).toBeLessThan(2.1 * steps)
  },
)
