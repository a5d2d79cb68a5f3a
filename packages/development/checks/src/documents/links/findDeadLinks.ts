import { posix } from "node:path"
import type { Page } from "../page.ts"

/** Finds links in the repository to missing files, folders or headings. Links to other hosts are ignored. */
export function findDeadLinks(pages: readonly Page[], files: readonly string[]): string[] {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const existing = new Set(files.flatMap(withFolders))
  return pages.flatMap((page) =>
    page.links.flatMap(({ text, line }) => {
      if (/^[a-z]+:/.test(text)) return []
      const [target = "", anchor] = text.split("#")
      const path = target === "" ? page.path : resolve(page.path, target)
      const where = `${page.path}:${line}`
      if (!existing.has(path)) return [`${where}: the link ${text} leads to ${path}, which does not exist`]
      const linked = byPath.get(path)
      if (anchor === undefined || !linked || linked.anchors.includes(anchor)) return []
      return [`${where}: the link ${text} leads to a heading that ${path} does not have`]
    }),
  )
}

export function findDeadMentions(source: { path: string; text: string }, files: readonly string[]): string[] {
  return [...source.text.matchAll(/(?<![\w/.])docs\/[\w/.-]+\.md/g)]
    .filter(([document]) => !files.includes(document))
    .map(([document]) => `${source.path}: there is no document ${document}`)
}

function resolve(from: string, target: string): string {
  const path = target.startsWith("/") ? target.slice(1) : posix.join(posix.dirname(from), target)
  return posix.normalize(decodeURIComponent(path)).replace(/\/$/, "")
}

/** The path and its folders: for `a/b/c.md` also `a/b`, `a` and `.`. */
export function withFolders(path: string): string[] {
  return path === "." ? ["."] : [path, ...withFolders(posix.dirname(path))]
}
