import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { root } from "../folders.ts"
import { fillTables } from "./fillTables.ts"
import { makeTables } from "./makeTables.ts"
import { readLocal, readProcesses } from "./readProcesses.ts"

// Run by `npm run docs`.
const file = join(root, "README.md")
const before = await readFile(file, "utf8")
const after = fillTables(before, makeTables(await readProcesses(), readLocal()))
if (after !== before) await writeFile(file, after)
process.stdout.write(after === before ? "README.md is up to date\n" : "README.md: tables written\n")
