import { expect, test } from "vitest"
import { judgeComments } from "./commentsCheck.ts"

test("passes at 110 words of comments per 100 lines of code, over all files together", () => {
  const files = [
    { path: "a.ts", commentWords: 200, codeLines: 100 },
    { path: "b.ts", commentWords: 20, codeLines: 100 },
  ]
  const { summary, problems } = judgeComments(files)
  expect(problems).toEqual([])
  expect(summary).toContain("110.0 words of comments per 100 lines of code")
})

test("fails above that, and names the files with most words of comments first", () => {
  const files = [
    { path: "few.ts", commentWords: 1, codeLines: 100 },
    { path: "many.ts", commentWords: 240, codeLines: 100 },
  ]
  const { problems } = judgeComments(files)
  expect(problems[0]).toMatch(/^21 words too many/)
  expect(problems.slice(1)).toEqual(["many.ts: 240 words, 100 lines", "few.ts: 1 words, 100 lines"])
})
