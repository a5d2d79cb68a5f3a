import { execFileSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { findProgram } from "@sitewire/testkit/findProgram"
import { artifacts, folderOf, versions } from "./artifacts.ts"
import { buildArtifact } from "./buildArtifact.ts"
import { provenanceOf } from "./provenance.ts"

// npm run release -- --version X --dry-run: builds each artifact twice, and fails if its bytes differ, if a file states another
// version, or if the changelog says nothing about it. What it wrote is in .sitewire/release. Only the release workflow publishes.
const root = join(import.meta.dirname, "../..")
const target = join(root, ".sitewire/release")
const { values } = parseArgs({
  options: {
    version: { type: "string" },
    "dry-run": { type: "boolean" },
    // Fails if an artifact cannot be built on this machine, because a tool is missing.
    complete: { type: "boolean" },
    // Builds only the artifact in this folder of .sitewire/release. May be repeated.
    only: { type: "string", multiple: true, default: artifacts.map(folderOf) },
  },
})
const { version, only } = values
if (version === undefined || !values["dry-run"]) {
  console.error(
    "usage: npm run release -- --version X --dry-run [--complete] [--only FOLDER]… (without --dry-run, only the workflow publishes)",
  )
  process.exit(2)
}

const problems: string[] = []
for (const { file, states } of versions) {
  const text = states.replace("VERSION", version)
  if (!readFileSync(join(root, file), "utf8").includes(text)) problems.push(`${file} does not state ${text}`)
}
const changes = /^## \[(?:Unreleased|VERSION)\]\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(
  readFileSync(join(root, "CHANGELOG.md"), "utf8").replaceAll(`[${version}]`, "[VERSION]"),
)?.[1]
if (!changes?.trim()) problems.push(`CHANGELOG.md says nothing about ${version}`)

if (problems.length > 0) fail()

rmSync(target, { recursive: true, force: true })
const skipped: string[] = []
const sums: { file: string; sha256: string }[] = []
for (const artifact of artifacts.filter((each) => only.includes(folderOf(each)))) {
  const { name, needs } = artifact
  const reasonOf = (error: unknown) => `${name}: ${error instanceof Error ? error.message : error}`
  try {
    for (const tool of needs) findProgram(tool, "Install it.")
  } catch (error) {
    skipped.push(reasonOf(error))
    continue
  }
  try {
    const built = await buildArtifact(artifact, join(target, folderOf(artifact)))
    sums.push(...built.map(({ file, sha256 }) => ({ file: join(folderOf(artifact), file), sha256 })))
    const files = built.map(({ file, bytes }) => `${file}, ${bytes} bytes`).join("; ")
    console.log(`${name}: ${files}`)
  } catch (error) {
    problems.push(reasonOf(error))
  }
}
if (values.complete) problems.push(...skipped)

const write = (file: string, text: string) => writeFileSync(join(target, file), text)
write("SHA256SUMS", sums.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join(""))
write("CHANGES.md", changes ?? "")
write(
  "sbom.cdx.json",
  execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"], {
    cwd: root,
    maxBuffer: 1 << 28,
  }).toString(),
)
const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim()
const statement = provenanceOf({ version, commit, sums, env: process.env })
write("provenance.json", `${JSON.stringify(statement, null, 2)}\n`)

for (const line of skipped) console.log(`skipped: ${line}`)
if (problems.length > 0) fail()
console.log(`${sums.length} files of ${version}, ${skipped.length} artifacts skipped`)

function fail(): never {
  for (const line of problems) console.error(`problem: ${line}`)
  process.exit(1)
}
