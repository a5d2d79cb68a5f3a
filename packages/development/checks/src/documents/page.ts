export type CodeBlock = {
  /** The first word behind the fence, such as `sh`; empty if there is none. */
  language: string
  text: string
  line: number
  /** The HTML comment on the line before the fence, without its marks. */
  marker: string | null
}

type Found = { text: string; line: number }

export type Page = {
  path: string
  text: string
  /** The headings' anchors, as GitHub and similar sites generate them. */
  anchors: string[]
  links: Found[]
  codeSpans: Found[]
  codeBlocks: CodeBlock[]
}

const fence = /^(\s*)(`{3,}|~{3,})\s*(\S*)/
const comment = /^\s*<!-- (.*?) -->\s*$/

export function readPage(path: string, text: string): Page {
  const codeBlocks: CodeBlock[] = []
  const anchors: string[] = []
  const lines = text.split("\n")
  /** The page's lines, with empty lines in place of code blocks. */
  const prose = [...lines]
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ""
    const opening = fence.exec(line)
    if (opening) {
      const [, indent = "", marks = "", language = ""] = opening
      const end = findEnd(lines, index + 1, marks)
      const content = lines.slice(index + 1, end).map((inner) => withoutIndent(inner, indent))
      const marker = comment.exec(lines[index - 1] ?? "")?.[1] ?? null
      codeBlocks.push({ language, text: `${content.join("\n")}\n`, line: index + 1, marker })
      prose.fill("", index, end + 1)
      index = end
    }
    const heading = opening ? undefined : /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1]
    if (heading !== undefined) anchors.push(unusedAnchor(heading, anchors))
  }
  const all = prose.join("\n")
  const withoutCode = all.replaceAll(codeSpan, (code) => code.replaceAll(/[^\n]/g, " "))
  return {
    path,
    text,
    anchors,
    links: [
      ...find(withoutCode, /\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g),
      ...find(withoutCode, /^\[[^\]]+\]:\s+(\S+)/gm),
    ],
    codeSpans: find(all, codeSpan),
    codeBlocks,
  }
}

/** A code span can continue on the next line, but not past an empty line. */
const codeSpan = /(?<!`)`((?:[^`\n]|\n(?!\s*\n))+)`(?!`)/g

function findEnd(lines: readonly string[], from: number, marks: string): number {
  const end = lines.findIndex((line, index) => index >= from && line.trim() === marks)
  return end === -1 ? lines.length : end
}

function withoutIndent(line: string, indent: string): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()
}

function unusedAnchor(heading: string, used: readonly string[]): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
  const anchor = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")
  if (!used.includes(anchor)) return anchor
  let number = 1
  while (used.includes(`${anchor}-${number}`)) number += 1
  return `${anchor}-${number}`
}

function find(text: string, pattern: RegExp): Found[] {
  return [...text.matchAll(pattern)].map(({ 1: found = "", index }) => ({
    text: found.replaceAll(/\s+/g, " "),
    line: text.slice(0, index).split("\n").length,
  }))
}
