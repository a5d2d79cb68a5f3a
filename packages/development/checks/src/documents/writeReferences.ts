import { mkdir, readFile, writeFile } from "node:fs/promises"
import { prometheusRule } from "@sitewire/testkit/prometheus"
import { listFiles } from "../listFiles.ts"
import { readPage } from "./page.ts"
import { readCode } from "./readCode.ts"
import { referencePages } from "./reference/referencePages.ts"
import { partnersPage, verifySnippets } from "./reference/verifySnippets.ts"

const root = new URL("../../../../../", import.meta.url)
await mkdir(new URL("docs/reference/schemas/", root), { recursive: true })
const partners = readPage(partnersPage, await readFile(new URL(partnersPage, root), "utf8"))
const code = await readCode(root, listFiles(root))
const written = [
  ...verifySnippets(partners),
  ...referencePages(code),
  ["deploy/monitoring/prometheusrule.yaml", await prometheusRule()] as const,
]
for (const [path, text] of written) {
  const file = new URL(path, root)
  const before = await readFile(file, "utf8").catch(() => null)
  if (before !== text) await writeFile(file, text)
  process.stdout.write(`${path}: ${before === text ? "up to date" : "written"}\n`)
}
