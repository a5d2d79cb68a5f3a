import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

// Builds the npm package that partners install, in the folder given as argument (default: dist). The package
// contains JavaScript, because Node does not run TypeScript under node_modules.
const root = import.meta.dirname
const target = resolve(process.argv[2] ?? join(root, "dist"))
const compiled = join(target, "src")

rmSync(compiled, { recursive: true, force: true })
const tsc = join(root, "../../node_modules/typescript/bin/tsc")
const project = join(root, "tsconfig.package.json")
execFileSync(process.execPath, [tsc, "-p", project, "--outDir", compiled], { stdio: "inherit" })

for (const file of ["vectors.json", "check_vectors.py", "README.md"])
  cpSync(join(root, file), join(target, file))
const licence = join(root, "../../LICENSE")
if (existsSync(licence)) cpSync(licence, join(target, "LICENSE"))

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const manifest = {
  name: own.name,
  version: own.version,
  description: own.description,
  license: own.license,
  type: own.type,
  engines: { node: ">=20.10" },
  exports: {
    ".": { types: "./src/index.d.ts", default: "./src/index.js" },
    "./vectors.json": "./vectors.json",
  },
}
writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
