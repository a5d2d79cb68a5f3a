/** Prisma's query compiler for Postgres is what the generated client imports; the package has 19 others. */
const queryCompiler = "query_compiler_fast_bg.postgresql."

/** Folders that packages publish and programs do not load. */
const unusedFolders = /^(__tests__|bench|benchmarks?|coverage|docs?|examples?|man|tests?)$/

/** Whether a running process can need this file of an installed package; `path` is relative to the package. */
export function isNeeded(name: string, path: string): boolean {
  if (name.startsWith("@types/")) return false
  const [first = ""] = path.split("/")
  if (unusedFolders.test(first) || /(^|\/)\./.test(path)) return false
  // Node runs no TypeScript below node_modules.
  if (/\.([cm]?ts|tsx|map|flow|markdown|md|tsbuildinfo)$/.test(path)) return /licen[cs]e|notice/i.test(path)
  if (name === "@prisma/client" && /query_compiler_|wasm-compiler-edge|index-browser/.test(path)) {
    return path.includes(queryCompiler) && path.endsWith(".mjs")
  }
  return true
}

/** Whether a file of a workspace belongs into an image: what the process loads, and its manifest. */
export function isSource(path: string): boolean {
  return path === "package.json" || (/^(src|generated)\//.test(path) && !path.endsWith(".test.ts"))
}

/** Whether a file names a package or its licence. The page of the web console contains the rest of the package. */
export function isNotice(path: string): boolean {
  return path === "package.json" || /^(licen[cs]e|notice)/i.test(path)
}
