import type { CodeBlock } from "../page.ts"

export const partnersPage = "docs/partners.md"

/** The language of a code block on the page, by the language's name in the API. */
const blocks = { node: "js", python: "python", java: "java", go: "go", php: "php" }

/**
 * The functions of the partners' page that verify a signature, as JSON: the web console quotes them. The page is the only place where they are edited.
 */
export function verifySnippets({ codeBlocks }: { codeBlocks: readonly CodeBlock[] }): Map<string, string> {
  const snippets = Object.entries(blocks).map(([name, language]) => {
    const found = codeBlocks.find((block) => block.language === language)
    if (!found) throw new Error(`${partnersPage} has no code block in ${language}`)
    return [name, found.text]
  })
  const text = `${JSON.stringify(Object.fromEntries(snippets), null, 2)}\n`
  return new Map([["packages/web/src/pages/delivery/verify.json", text]])
}
