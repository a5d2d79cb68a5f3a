export type CommentCount = { commentWords: number; codeLines: number }

/**
 * Counts the words of comments and the lines of code in a TypeScript or JavaScript file. A line with code and
 * a comment behind the code counts as code only.
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

/**
 * Words are separated by white space. Punctuation alone, such as a dash or the `*` that starts a line, is not
 * a word.
 */
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length
}
