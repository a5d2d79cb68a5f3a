import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { pack } from "./pack.ts"

const folder = process.argv[2] ?? fileURLToPath(new URL("../../.sitewire/", import.meta.url))
process.stdout.write(`${await pack(resolve(folder))}\n`)
