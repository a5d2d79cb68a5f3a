import { mkdirSync, writeFileSync } from "node:fs"
import { listFiles } from "../listFiles.ts"
import { findOutdated, generateFiles } from "./generateFiles.ts"

const root = new URL("../../../../", import.meta.url)
mkdirSync(new URL("docs/reference/schemas/", root), { recursive: true })
const generated = await generateFiles(root, listFiles(root))
const outdated = findOutdated(root, generated)
for (const path of outdated) writeFileSync(new URL(path, root), generated.get(path) ?? "")
process.stdout.write(
  `${generated.size} files, of which these were written: ${outdated.join(", ") || "none"}\n`,
)
