import { mkdir, readFile, writeFile } from "node:fs/promises"
import { listFiles } from "../listFiles.ts"
import { readPage } from "./page.ts"
import { readCode } from "./readCode.ts"
import { referencePages } from "./reference/referencePages.ts"
import { partnersPage, verifySnippets } from "./reference/verifySnippets.ts"

const root = new URL("../../../../", import.meta.url)
await mkdir(new URL("docs/reference/", root), { recursive: true })
const partners = readPage(partnersPage, await readFile(new URL(partnersPage, root), "utf8"))
const code = await readCode(root, listFiles(root))
for (const [path, text] of [...verifySnippets(partners), ...referencePages(code)]) {
  const file = new URL(path, root)
  const before = await readFile(file, "utf8").catch(() => null)
  if (before !== text) await writeFile(file, text)
  process.stdout.write(`${path}: ${before === text ? "up to date" : "written"}\n`)
}
