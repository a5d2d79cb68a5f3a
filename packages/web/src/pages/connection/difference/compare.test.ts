import { expect, test } from "vitest"
import { compare as compareWithin } from "./compare.ts"

/** So long that no machine needs it. */
const compare = (before: string, after: string) => compareWithin(before, after, { timeoutMs: 120_000 })

test("JSON is compared by its values, whatever its format", () => {
  const before = '{"a":1,"b":[1,2]}'
  expect(compare(before, '{ "a": 1,\n "b": [1, 2] }')).toEqual({ kind: "only format" })
  expect(compare(before, '{"a":2,"b":[1,2]}')).toMatchObject({
    kind: "lines",
    added: 1,
    removed: 1,
    complete: true,
    formatted: true,
    hunks: [
      {
        start: 1,
        lines: [
          { kind: "same", text: "{" },
          { kind: "removed", text: '  "a": 1,' },
          { kind: "added", text: '  "a": 2,' },
          { kind: "same", text: '  "b": [' },
          { kind: "same", text: "    1," },
          { kind: "same", text: "    2" },
        ],
      },
    ],
  })
})

test("text without a newline at its end is compared line by line, and long lines are cut", () => {
  const comparison = compare("one\ntwo", `one\ntwo\n${"x".repeat(9_000)}`)
  expect(comparison).toMatchObject({ kind: "lines", added: 2, removed: 1, formatted: false })
  const lines = comparison.kind === "lines" ? comparison.hunks.flatMap((hunk) => hunk.lines) : []
  expect(lines.at(-1)?.text.length).toBe(501)
  expect(lines.every(({ text }) => !text.includes("No newline"))).toBe(true)
})

test("what cannot be compared in time or is no text is said, and many differences are cut", () => {
  expect(compare("a\0b", "a")).toEqual({ kind: "no text" })
  const lines = (word: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${word} ${n}`).join("\n")
  const many = compare(lines("old", 300), lines("new", 300))
  expect(many).toMatchObject({ kind: "lines", added: 300, removed: 300, complete: false })
  const large = [lines("old", 60_000), lines("new", 60_000)] as const
  expect(compareWithin(...large, { timeoutMs: 1 })).toEqual({ kind: "too different" })
})
