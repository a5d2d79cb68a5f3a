import { existsSync, readFileSync } from "node:fs"
import { includeCode } from "./includeCode.ts"
import { readHelp } from "./reference/readHelp.ts"
import { readMetrics } from "./reference/readMetrics.ts"
import { readProcesses } from "./reference/readProcesses.ts"
import { readReference } from "./reference/readReference.ts"
import { referencePages } from "./reference/referencePages.ts"
import { schemaFiles } from "./reference/schemaFiles.ts"
import { readSources } from "./reference/sources.ts"

/** Everything that `npm run docs` writes: the text of each file, by its path. */
export async function generateFiles(root: URL, files: readonly string[]): Promise<Map<string, string>> {
  const sources = readSources(root, files)
  const code = {
    processes: await readProcesses(root),
    metrics: readMetrics(sources),
    help: readHelp(),
    reference: readReference(),
  }
  return new Map([...referencePages(code), ...schemaFiles(), ...pagesWithCode(root, files)])
}

/** The documents that include code, with the present code. */
function pagesWithCode(root: URL, files: readonly string[]): [string, string][] {
  const read = (path: string) => readFileSync(new URL(path, root), "utf8")
  const pages = files.filter((path) => path.endsWith(".md")).map((path) => [path, read(path)] as const)
  return pages
    .filter(([, text]) => text.includes("<!-- code of "))
    .map(([path, text]) => [path, includeCode(text, read)])
}

/** The generated files that are missing or differ from the code. */
export function findOutdated(root: URL, generated: ReadonlyMap<string, string>): string[] {
  return [...generated.keys()].filter((path) => {
    const file = new URL(path, root)
    return !existsSync(file) || readFileSync(file, "utf8") !== generated.get(path)
  })
}
