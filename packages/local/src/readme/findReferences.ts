export type References = { scripts: string[]; paths: string[] }

/**
 * What a page of Markdown says exists in the repository: scripts (`npm run x`, `npm start`, `npm test`), the targets of
 * relative links, and paths in backticks. A path counts as one if its first part is a folder of the repository
 * (`folders`), so that `application/json` is none; `{a,b}`, `*` and `<name>` stand for several, and are left out.
 */
export function findReferences(text: string, folders: readonly string[]): References {
  const scripts = [
    ...matches(text, /\bnpm run (?:--silent )?([a-z][\w:-]*)/g),
    ...matches(text, /\bnpm (start|test)\b/g),
  ]
  const links = matches(text, /\]\(([^)\s]+)\)/g)
    .filter((target) => !/^(https?:|mailto:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ""))
  const quoted = matches(text, /`([\w.-]+\/[^`\s]*)`/g).filter(
    (path) => folders.includes(path.split("/")[0] ?? "") && !/[*{}<>…]/.test(path),
  )
  return { scripts: unique(scripts), paths: unique([...links, ...quoted]) }
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found]) => (found === undefined ? [] : [found]))
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}
