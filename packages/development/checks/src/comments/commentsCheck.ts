import { readFile } from "node:fs/promises"
import type { Check, CheckResult } from "../check.ts"
import { listFiles } from "../listFiles.ts"
import { countComments } from "./countComments.ts"

/**
 * For comparison, two open-source projects: hono has about 70 words of comments per 100 lines of code, and
 * graphile/worker about 115.
 */
const maxWordsPer100Lines = 110
const filesToName = 10

export const commentsCheck: Check = {
  name: "comments",
  async run(root) {
    const counts = await Promise.all(
      listFiles(root)
        .filter(isSource)
        .map(async (path) => ({ path, ...countComments(await readFile(new URL(path, root), "utf8")) })),
    )
    return judgeComments(counts)
  },
}

type FileCount = { path: string; commentWords: number; codeLines: number }

export function judgeComments(files: FileCount[]): CheckResult {
  const words = files.reduce((sum, file) => sum + file.commentWords, 0)
  const lines = files.reduce((sum, file) => sum + file.codeLines, 0)
  const figure = (100 * words) / Math.max(lines, 1)
  const summary =
    `${figure.toFixed(1)} words of comments per 100 lines of code, at most ${maxWordsPer100Lines} are allowed ` +
    `(${words} words, ${lines} lines, ${files.length} files)`
  if (figure <= maxWordsPer100Lines) return { summary, problems: [] }

  const excess = Math.ceil(words - (lines * maxWordsPer100Lines) / 100)
  const largest = files.toSorted((a, b) => b.commentWords - a.commentWords).slice(0, filesToName)
  return {
    summary,
    problems: [
      `${excess} words too many. Delete comments that repeat the code, and shorten the others. Most words are in:`,
      ...largest.map(
        ({ path, commentWords, codeLines }) => `${path}: ${commentWords} words, ${codeLines} lines`,
      ),
    ],
  }
}

function isSource(path: string): boolean {
  return /\.(tsx?|mjs)$/.test(path) && !path.endsWith(".test.ts") && !path.includes("/test/")
}
