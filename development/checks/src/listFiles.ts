import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"

/**
 * Paths, relative to `root`, of all files that git tracks and of new files that git does not ignore. Deleted
 * files are omitted.
 */
export function listFiles(root: URL): string[] {
  const output = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  // git lists new files first, and generated documents have the order of the files.
  const existing = output.split("\0").filter((path) => path !== "" && existsSync(new URL(path, root)))
  return existing.sort()
}
