import { mkdir, readFile, writeFile } from "node:fs/promises"
import { listFiles } from "../listFiles.ts"
import { readCode } from "./readCode.ts"
import { referencePages } from "./reference/referencePages.ts"

const root = new URL("../../../../", import.meta.url)
await mkdir(new URL("docs/reference/schemas/", root), { recursive: true })
for (const [path, text] of referencePages(await readCode(root, listFiles(root)))) {
  const file = new URL(path, root)
  const before = await readFile(file, "utf8").catch(() => null)
  if (before !== text) await writeFile(file, text)
  process.stdout.write(`${path}: ${before === text ? "up to date" : "written"}\n`)
}
