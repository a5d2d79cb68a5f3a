export type CodeBlock = {
  /** The first word behind the fence, such as `sh`; empty if there is none. */
  language: string
  text: string
  line: number
  /** Where the block is in the page's text, with its fences. */
  start: number
  end: number
  /** The HTML comment on the line before the fence, without its marks. */
  marker: string | null
}

export type Page = {
  path: string
  text: string
  /** The headings' anchors, as GitHub and similar sites generate them. */
  anchors: string[]
  links: string[]
  codeBlocks: CodeBlock[]
}

const fencedBlock = /(?:^ *<!-- (.*?) -->\n)?^( *)```(\S*).*\n([\s\S]*?)^ *```$/gm
/** A code span can continue on the next line, but not past an empty line. */
const codeSpan = /(?<!`)`(?:[^`\n]|\n(?!\s*\n))+`(?!`)/g
const inlineLink = /\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g
const linkDefinition = /^\[[^\]]+\]:\s+(\S+)/gm

export function readPage(path: string, text: string): Page {
  const codeBlocks = [...text.matchAll(fencedBlock)].map(
    ({ 0: all, 1: marker = null, 2: indent = "", 3: language = "", 4: content = "", index }) => ({
      language,
      text: content.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      line: text.slice(0, index).split("\n").length + (marker === null ? 0 : 1),
      start: index,
      end: index + all.length,
      marker,
    }),
  )
  const prose = text.replaceAll(fencedBlock, "")
  const withoutCode = prose.replaceAll(codeSpan, "")
  return {
    path,
    text,
    anchors: anchorsOf([...prose.matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm)].map(([, heading = ""]) => heading)),
    links: [inlineLink, linkDefinition].flatMap((pattern) =>
      [...withoutCode.matchAll(pattern)].map(([, link = ""]) => link),
    ),
    codeBlocks,
  }
}

/** An anchor that is used already gets a number. */
function anchorsOf(headings: readonly string[]): string[] {
  const used = new Map<string, number>()
  return headings.map((heading) => {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase()
    const anchor = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-")
    const count = used.get(anchor) ?? 0
    used.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}
