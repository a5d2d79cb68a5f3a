import { expect, test } from "vitest"
import { countComments } from "./countComments.ts"

test("counts words of line comments and of block comments", () => {
  const source = ["// two words", "/** One more. */", "/*", " * three more words", " */", "code()"].join("\n")
  expect(countComments(source)).toEqual({ commentWords: 7, codeLines: 1 })
})

test("counts a comment behind code as code, and blank lines as nothing", () => {
  expect(countComments("const a = 1 // not counted\n\n  \nconst b = 2\n")).toEqual({
    commentWords: 0,
    codeLines: 2,
  })
})

test("counts code after a block comment has ended", () => {
  expect(countComments("/* one\ntwo */\ncode()\n/* three */")).toEqual({ commentWords: 3, codeLines: 1 })
})

test("does not count punctuation as words", () => {
  expect(countComments("// a – b\n// ---\n")).toEqual({ commentWords: 2, codeLines: 0 })
})
