import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { promisify } from "node:util"
import type { Artifact } from "./artifacts.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "../..")

/** A JVM that ends after seconds takes half the CPU time if it compiles less, and has one thread for garbage. */
export const shortLivedJava = { JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" }

type BuiltFile = { file: string; bytes: number; sha256: string }

/** Builds the artifact in the folder, and a second time elsewhere. Fails if the two builds differ. */
export async function buildArtifact(artifact: Artifact, to: string): Promise<BuiltFile[]> {
  const built = await build(artifact, to)
  if (built.length === 0) throw new Error("nothing was written")
  const again = mkdtempSync(join(tmpdir(), "sitewire-release-"))
  try {
    if (JSON.stringify(await build(artifact, again)) !== JSON.stringify(built))
      throw new Error("two builds differ")
  } finally {
    rmSync(again, { recursive: true })
  }
  return built
}

async function build({ folder, command }: Artifact, OUT: string): Promise<BuiltFile[]> {
  mkdirSync(OUT, { recursive: true })
  // Archives contain the time of the commit instead of that of the build.
  const { stdout: commitSeconds } = await run("git", ["log", "-1", "--format=%ct"], { cwd: root })
  await run("sh", ["-ec", command], {
    cwd: join(root, folder),
    env: { ...process.env, ...shortLivedJava, OUT, SOURCE_DATE_EPOCH: commitSeconds.trim(), TZ: "UTC" },
  })
  return readdirSync(OUT, { recursive: true, encoding: "utf8" })
    .map((file) => join(OUT, file))
    .filter((file) => statSync(file).isFile())
    .sort()
    .map((file) => {
      const content = readFileSync(file)
      const sha256 = createHash("sha256").update(content).digest("hex")
      return { file: relative(OUT, file), bytes: content.length, sha256 }
    })
}
