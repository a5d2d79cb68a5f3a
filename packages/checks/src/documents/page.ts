export type CodeBlock = {
  /** The first word behind the fence, such as `sh`; empty if there is none. */
  language: string
  text: string
  /** Of the fence's first line in the page, from 1. */
  line: number
  /** The HTML comment on the line before the fence, without its marks. */
  marker: string | null
}

type Found = { text: string; line: number }

/** A Markdown file, split into what the checks look at. */
export type Page = {
  path: string
  text: string
  /** The headings' anchors, as forges make them. */
  anchors: string[]
  /** Targets of links and images, as written. */
  links: Found[]
  codeSpans: Found[]
  codeBlocks: CodeBlock[]
}

const fence = /^(\s*)(`{3,}|~{3,})\s*(\S*)/
const comment = /^\s*<!-- (.*?) -->\s*$/

export function readPage(path: string, text: string): Page {
  const page: Page = { path, text, anchors: [], links: [], codeSpans: [], codeBlocks: [] }
  const lines = text.split("\n")
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ""
    const opening = fence.exec(line)
    if (opening) {
      const [, indent = "", marks = "", language = ""] = opening
      const end = findEnd(lines, index + 1, marks)
      const content = lines.slice(index + 1, end).map((inner) => withoutIndent(inner, indent))
      const marker = comment.exec(lines[index - 1] ?? "")?.[1] ?? null
      page.codeBlocks.push({ language, text: `${content.join("\n")}\n`, line: index + 1, marker })
      index = end
      continue
    }
    const found = (texts: string[]) => texts.map((inner) => ({ text: inner, line: index + 1 }))
    page.codeSpans.push(...found(groups(line, /(?<!`)`([^`]+)`(?!`)/g)))
    const prose = line.replaceAll(/`[^`]*`/g, (code) => " ".repeat(code.length))
    page.links.push(...found(groups(prose, /\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)))
    page.links.push(...found(groups(prose, /^\[[^\]]+\]:\s+(\S+)/g)))
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1]
    if (heading !== undefined) page.anchors.push(unusedAnchor(heading, page.anchors))
  }
  return page
}

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

function groups(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found]) => (found === undefined ? [] : [found]))
}
