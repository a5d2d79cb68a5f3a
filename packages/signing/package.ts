import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

// Builds the npm package that partners install, in the folder given as argument (default: dist). It contains JavaScript,
// because Node runs no TypeScript below node_modules: as ES modules, and as CommonJS for projects that use `require`.
const root = import.meta.dirname
const target = resolve(process.argv[2] ?? join(root, "dist"))
const repository = join(root, "../..")

for (const format of ["esm", "cjs"]) {
  const compiled = join(target, format)
  rmSync(compiled, { recursive: true, force: true })
  const tsc = join(repository, "node_modules/typescript/bin/tsc")
  const project = join(root, `tsconfig.${format}.json`)
  execFileSync(process.execPath, [tsc, "-p", project, "--outDir", compiled], { stdio: "inherit" })
}
writeFileSync(join(target, "cjs/package.json"), '{ "type": "commonjs" }\n')
cpSync(join(root, "README.md"), join(target, "README.md"))
cpSync(join(repository, "LICENSE"), join(target, "LICENSE"))
cpSync(join(repository, "kit/vectors/deliveries.json"), join(target, "vectors/deliveries.json"))

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const entries = Object.entries<string>(own.exports)
const compiledTo = (format: string, source: string, extension: string) =>
  source.replace("./", `./${format}/`).replace(/\.ts$/, extension)
const both = (format: string, source: string) => ({
  types: compiledTo(format, source, ".d.ts"),
  default: compiledTo(format, source, ".js"),
})
const manifest = {
  name: own.name,
  version: own.version,
  description: own.description,
  license: own.license,
  // The registry compares it with the workflow that publishes.
  repository: {
    type: "git",
    url: "git+https://github.com/sitewire/sitewire.git",
    directory: "packages/signing",
  },
  type: own.type,
  sideEffects: false,
  engines: { node: ">=20.10" },
  bin: { "sitewire-signing": "./esm/bin/main.js" },
  exports: Object.fromEntries(
    entries.map(([name, source]) => [name, { import: both("esm", source), require: both("cjs", source) }]),
  ),
  // For TypeScript with `moduleResolution: node10`, which does not read `exports`.
  types: compiledTo("cjs", own.exports["."], ".d.ts"),
  typesVersions: {
    "*": Object.fromEntries(
      entries.map(([name, source]) => [name.replace("./", ""), [compiledTo("cjs", source, ".d.ts")]]),
    ),
  },
}
writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
