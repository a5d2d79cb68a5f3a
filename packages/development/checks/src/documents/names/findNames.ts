import type { Page } from "../page.ts"

export type Name = { text: string; line: number }

export type MetricName = Name & { labels: string[] }

/** The names that a page mentions. This file does not check whether they exist. */
export type Names = {
  scripts: Name[]
  commands: Name[]
  metrics: MetricName[]
  variables: Name[]
  /**
   * Paths relative to the repository's or the page's folder, and names of TypeScript files without a folder.
   */
  paths: Name[]
}

const upperCase = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g
const commandLine =
  /(?:^|[|;&(]\s*)(?:[A-Z_]+=\S+ )*(?:npm run (?:--silent )?sitewire -- |sitewire )((?:"[^"]*"|'[^']*'|[^|;&\n)>])*)/gm

/**
 * Text is a path only if it begins with one of `folders`, the repository's top-level folders:
 * `application/json` is no path.
 */
export function findNames(page: Page, folders: readonly string[]): Names {
  const shell = page.codeBlocks
    .filter(({ language }) => isShell(language))
    .map(({ text, line }) => ({ text: text.replaceAll(/\\\n\s*/g, " "), line: line + 1 }))
  const code = [...page.codeSpans, ...shell]
  const lines = page.text.split("\n").map((text, index) => ({ text, line: index + 1 }))
  const own = ownVariables(page)
  return {
    scripts: [
      ...find(lines, /\bnpm run (?:--silent )?([a-z][\w:-]*)/g),
      ...find(lines, /\bnpm (start|test)\b/g),
    ],
    commands: find(code, commandLine),
    metrics: find(lines, /\bsitewire_[a-z0-9_]*[a-z0-9](?:\{[^}]*\})?/g).map(readMetric),
    variables: find([...code, ...blocks(page, ["yaml"])], upperCase).filter(({ text }) => !own.has(text)),
    paths: [...findPaths(code, folders), ...page.codeSpans.filter(({ text }) => /^[\w.]+\.ts$/.test(text))],
  }
}

function isShell(language: string): boolean {
  return language === "sh" || language === "bash"
}

function blocks({ codeBlocks }: Page, languages: readonly string[]): Name[] {
  return codeBlocks.filter(({ language }) => languages.includes(language))
}

/** Matches a whole line that sets or reads a shell variable, and psql's `-v NAME=value`. */
const setInShell =
  /^\s*(?:export |read -rs )?([A-Z][A-Z0-9_]*)(?:=(?:"[^"]*"|'[^']*'|\S*))?(?: +#.*)?$|-v ([A-Z_]+)=/gm

/**
 * Variables that are not Sitewire's: a shell example sets them, or an example in another language has them.
 */
function ownVariables({ codeBlocks }: Page): Set<string> {
  const names = codeBlocks.flatMap(({ language, text }) => {
    if (language === "yaml") return []
    if (!isShell(language)) return text.match(upperCase) ?? []
    return [...text.matchAll(setInShell)].map(([, name, psqlName]) => name ?? psqlName ?? "")
  })
  return new Set(names)
}

function findPaths(code: readonly Name[], folders: readonly string[]): Name[] {
  return find(code, /(?<![\w./$@:-])((?:[\w.@-]+\/)+[\w.@-]*)(?![\w*{}<>$…/])/g)
    .map(({ text, line }) => ({ text: text.replace(/[./]+$/, ""), line }))
    .filter(({ text }) => text.includes("/") && folders.includes(text.split("/")[0] ?? ""))
}

function readMetric({ text, line }: Name): MetricName {
  const [name = "", labels = ""] = text.replace("}", "").split("{")
  const names = labels
    .split(",")
    .map((label) => label.replace(/[=!].*/, "").trim())
    .filter((label) => label !== "")
  return { text: name, line, labels: names }
}

/** Returns the first group of each match (the whole match if there is no group) and its line in the page. */
function find(texts: readonly Name[], pattern: RegExp): Name[] {
  return texts.flatMap(({ text, line }) =>
    [...text.matchAll(pattern)].map((match) => ({
      text: (match[1] ?? match[0]).trim(),
      line: line + text.slice(0, match.index).split("\n").length - 1,
    })),
  )
}
