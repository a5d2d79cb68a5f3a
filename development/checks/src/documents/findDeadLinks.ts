import { posix } from "node:path"
import type { Page } from "./page.ts"

/** Finds links in the repository to missing files, folders or headings. Links to other hosts are ignored. */
export function findDeadLinks(pages: readonly Page[], files: readonly string[]): string[] {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const existing = new Set(files.flatMap(withFolders))
  return pages.flatMap((page) =>
    page.links.flatMap((link) => {
      if (/^[a-z]+:/.test(link)) return []
      const [target = "", anchor] = link.split("#")
      const path = target === "" ? page.path : resolve(page.path, target)
      if (!existing.has(path))
        return [`${page.path}: the link ${link} leads to ${path}, which does not exist`]
      const linked = byPath.get(path)
      if (anchor === undefined || !linked || linked.anchors.includes(anchor)) return []
      return [`${page.path}: the link ${link} leads to a heading that ${path} does not have`]
    }),
  )
}

/** Folders that git ignores, and the name of a module. */
const ignored = ["packages/web/dist", "packages/database/generated", "prisma/config"]

/**
 * Finds paths from the repository's folder, such as `docs/README.md`, that do not exist. The change log names what was
 * moved, decisions what was there at their time, and tests what never was.
 */
export function findDeadMentions(
  { path, text }: { path: string; text: string },
  files: readonly string[],
): string[] {
  if (/^CHANGELOG|^docs\/decisions\/|\.test\.ts$/.test(path)) return []
  const existing = new Set(files.flatMap(withFolders))
  const mentions = text.matchAll(
    /(?<![\w./$@:-])(?:packages|services|deploy|docs|prisma|security)\/[\w.@/-]*\w(?![\w*{}<>$…/])/g,
  )
  return [...mentions]
    .filter(([mentioned]) => !existing.has(mentioned) && !ignored.includes(mentioned))
    .map(([mentioned]) => `${path}: there is no file or folder ${mentioned}`)
}

/** Finds commands with which npx would download what anybody may have registered under a name. The change log lists what was. */
export function findDownloads({ path, text }: { path: string; text: string }): string[] {
  if (!/^(?!CHANGELOG).*\.md$/.test(path)) return []
  return [...text.matchAll(/\bnpx (?!--no -- |(?:--yes )?\.\/)\S+/g)].map(
    ([command]) => `${path}: ${command} may download a package: write npx --no --, or the path of an archive`,
  )
}

function resolve(from: string, target: string): string {
  const path = target.startsWith("/") ? target.slice(1) : posix.join(posix.dirname(from), target)
  return posix.normalize(decodeURIComponent(path)).replace(/\/$/, "")
}

/** The path and its folders: for `a/b/c.md` also `a/b`, `a` and `.`. */
function withFolders(path: string): string[] {
  return path === "." ? ["."] : [path, ...withFolders(posix.dirname(path))]
}
