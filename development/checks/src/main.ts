import { readFileSync } from "node:fs"
import { measureBudgets } from "./budgets.ts"
import { findDeadLinks, findDeadMentions, findDownloads } from "./documents/findDeadLinks.ts"
import { findOutdated, generateFiles } from "./documents/generateFiles.ts"
import { readPage } from "./documents/page.ts"
import { findForeignWrites } from "./findForeignWrites.ts"
import { listFiles } from "./listFiles.ts"

/*
 * `npm run repository`: fails if a document has a dead link, if a document or source file names a file that does not
 * exist, if a command may download a package by its name, if a generated file differs from the code, if a file writes a table of
 * another package, or if something is larger than budgets.json allows.
 */
const root = new URL("../../../", import.meta.url)
const files = listFiles(root)
const texts = files
  .filter((path) => /\.(md|tsx?|mjs|yaml)$|^llms\.txt$/.test(path))
  .map((path) => ({ path, text: readFileSync(new URL(path, root), "utf8") }))
const pages = texts
  .filter(({ path }) => /\.md$|^llms\.txt$/.test(path))
  .map(({ path, text }) => readPage(path, text))
const generated = await generateFiles(root, files)
const { over, table } = measureBudgets(root, files)
const problems = [
  ...findDeadLinks(pages, files),
  ...texts.flatMap((text) => findDeadMentions(text, files)),
  ...texts.flatMap(findDownloads),
  ...texts.flatMap(findForeignWrites),
  ...findOutdated(root, generated).map((path) => `${path} is out of date: run npm run docs`),
  ...over,
]
console.log(table)
for (const problem of problems) console.error(problem)
console.log(
  `${pages.length} documents and ${generated.size} generated files compared with the repository: ${problems.length} problems`,
)
if (problems.length > 0) process.exitCode = 1
