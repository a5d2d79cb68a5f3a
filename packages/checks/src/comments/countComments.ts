export type CommentCount = { commentWords: number; codeLines: number }

/**
 * Counts the words of comments and the lines of code in a TypeScript or JavaScript file. Only comments that start a
 * line are counted: a comment behind code is part of a line of code. Blank lines are neither.
 */
export function countComments(source: string): CommentCount {
  let commentWords = 0
  let codeLines = 0
  let inBlock = false
  for (const line of source.split("\n").map((text) => text.trim())) {
    if (inBlock || line.startsWith("/*")) {
      commentWords += countWords(line.replace(/\*\/.*/, ""))
      inBlock = !line.includes("*/")
    } else if (line.startsWith("//")) {
      commentWords += countWords(line)
    } else if (line !== "") {
      codeLines++
    }
  }
  return { commentWords, codeLines }
}

/** Words separated by space. Punctuation alone, such as a dash or the `*` that starts a line, is not a word. */
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length
}
