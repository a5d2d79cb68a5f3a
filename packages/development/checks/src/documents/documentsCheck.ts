import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Check } from "../check.ts"
import { listFiles } from "../listFiles.ts"
import { findExamples, findUnknownMarkers, markers, runExample } from "./examples/runExamples.ts"
import { findDeadLinks, findDeadMentions } from "./links/findDeadLinks.ts"
import { findUnknownNames } from "./names/findUnknownNames.ts"
import { type Page, readPage } from "./page.ts"
import { readCode, readKnownNames } from "./readCode.ts"
import { findOutdated, referencePages } from "./reference/referencePages.ts"
import { partnersPage, verifySnippets } from "./reference/verifySnippets.ts"

/**
 * Fails if a Markdown file is wrong about the repository: if it names links, paths, scripts, commands,
 * metrics or variables that do not exist, if a generated page is out of date, or if an example fails.
 */
export const documentsCheck: Check = {
  name: "documents",
  async run(root) {
    const files = listFiles(root)
    const pages = await readPages(root, files)
    const sources = await readSources(root, files)
    const code = await readCode(root, files)
    const known = await readKnownNames(root, { files, code })
    const generated = referencePages(code)
    const partners = pages.find(({ path }) => path === partnersPage)
    const snippets = verifySnippets(partners ?? { codeBlocks: [] })
    const examples = pages.flatMap((page) => findExamples(page, [markers.check]))
    const problems = [
      ...findDeadLinks(pages, files),
      ...sources.flatMap((source) => findDeadMentions(source, files)),
      ...pages.filter(namesExist).flatMap((page) => findUnknownNames(page, known)),
      ...findOutdated(generated, await readTexts(root, [...generated.keys()])),
      ...findOutdated(snippets, await readTexts(root, [...snippets.keys()])),
      ...pages.flatMap(findUnknownMarkers),
      ...(await runExamples(root, examples)),
    ]
    const summary =
      `${pages.length} pages: links, names and ${generated.size} generated pages compared with the code, ` +
      `${examples.length} examples run`
    return { summary, problems }
  },
}

function readPages(root: URL, files: readonly string[]): Promise<Page[]> {
  const paths = files.filter((path) => path.endsWith(".md"))
  return Promise.all(paths.map(async (path) => readPage(path, await readFile(new URL(path, root), "utf8"))))
}

async function readTexts(root: URL, paths: readonly string[]): Promise<Map<string, string>> {
  const texts = paths.map(
    async (path) => [path, await readFile(new URL(path, root), "utf8").catch(() => "")] as const,
  )
  return new Map(await Promise.all(texts))
}

/** Omits the sources of packages/development/checks, because its tests name documents that do not exist. */
function readSources(root: URL, files: readonly string[]) {
  const paths = files.filter(
    (path) => /\.(tsx?|mjs|yaml)$/.test(path) && !path.startsWith("packages/development/checks/"),
  )
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(new URL(path, root), "utf8") })))
}

/** False for the change log, because it names what was renamed or removed. */
function namesExist({ path }: Page): boolean {
  return path !== "CHANGELOG.md"
}

async function runExamples(root: URL, examples: ReturnType<typeof findExamples>): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), "sitewire-examples-"))
  const cwd = fileURLToPath(root)
  const PATH = [join(cwd, "node_modules", ".bin"), process.env.PATH].join(delimiter)
  const problems: string[] = []
  for (const example of examples) {
    const { problem } = await runExample(example, { cwd, env: { PATH, HOME: home, TMPDIR: home } })
    if (problem !== null) problems.push(problem)
  }
  await rm(home, { recursive: true })
  return problems
}
