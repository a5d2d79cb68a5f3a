import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { parseArgs } from "node:util"
import { findProgram } from "@sitewire/testkit/findProgram"
import { type Artifact, artifacts, folderOf, versions } from "./artifacts.ts"
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
  },
})
const { version } = values
if (version === undefined || !values["dry-run"]) {
  console.error(
    "usage: npm run release -- --version X --dry-run [--complete] (without --dry-run, only the workflow publishes)",
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
// Archives contain this time instead of that of the build.
const commitSeconds = git("log", "-1", "--format=%ct")
const skipped: string[] = []
const sums: { file: string; sha256: string }[] = []
for (const artifact of artifacts) {
  const { name, needs, differs } = artifact
  try {
    for (const tool of needs) findProgram(tool, "Install it.")
  } catch (error) {
    skipped.push(`${name}: ${error instanceof Error ? error.message : error}`)
    continue
  }
  const built = build(artifact, join(target, folderOf(artifact)))
  if (built.length === 0) problems.push(`${name}: nothing was written`)
  if (differs === undefined) {
    const again = mkdtempSync(join(tmpdir(), "sitewire-release-"))
    if (JSON.stringify(build(artifact, again)) !== JSON.stringify(built))
      problems.push(`${name}: two builds differ`)
    rmSync(again, { recursive: true })
  }
  sums.push(...built.map(({ file, sha256 }) => ({ file: join(folderOf(artifact), file), sha256 })))
  console.log(
    `${name}: ${built.map(({ file, bytes }) => `${file}, ${bytes} bytes`).join("; ")}${differs === undefined ? "" : `. ${differs}`}`,
  )
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
const statement = provenanceOf({ version, commit: git("rev-parse", "HEAD"), sums, env: process.env })
write("provenance.json", `${JSON.stringify(statement, null, 2)}\n`)

for (const line of skipped) console.log(`skipped: ${line}`)
if (problems.length > 0) fail()
console.log(`${sums.length} files of ${version}, ${skipped.length} artifacts skipped`)

function fail(): never {
  for (const line of problems) console.error(`problem: ${line}`)
  process.exit(1)
}

function build({ folder, command }: Artifact, OUT: string) {
  mkdirSync(OUT, { recursive: true })
  execFileSync("sh", ["-ec", command], {
    cwd: join(root, folder),
    env: { ...process.env, OUT, SOURCE_DATE_EPOCH: commitSeconds, TZ: "UTC" },
    stdio: ["ignore", "ignore", "inherit"],
  })
  return digests(OUT)
}

function digests(folder: string) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile())
    .sort()
    .map((file) => {
      const content = readFileSync(file)
      const sha256 = createHash("sha256").update(content).digest("hex")
      return { file: relative(folder, file), bytes: content.length, sha256 }
    })
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()
}
