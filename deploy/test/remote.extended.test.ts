import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { findProgram, findUv, needs } from "@sitewire/testkit/needs"
import { expect, onTestFinished, test } from "vitest"
import { renderOverlayText, toolsFolder } from "../render.ts"

// kubectl is installed with pip.
needs(findUv)
needs(() => findProgram("git", "Debian: apt-get install git."))

const run = promisify(execFile)
const deploy = join(import.meta.dirname, "..")

test("an overlay outside of any clone renders the same from a tag of the repository", async () => {
  const parent = await mkdtemp(join(tmpdir(), "sitewire-remote-"))
  onTestFinished(() => rm(parent, { recursive: true }))
  const repository = join(parent, "sitewire")
  await mkdir(repository)
  for (const folder of ["kustomize", "monitoring"])
    await cp(join(deploy, folder), join(repository, "deploy", folder), { recursive: true })
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    ["commit", "-qm", "test"],
    ["tag", "v0.1.0"],
  ])
    await run("git", [...author, ...args], { cwd: repository })

  const overlay = join(parent, "overlay")
  await mkdir(overlay)
  const text = await readFile(join(deploy, "kustomize/overlays/production/kustomization.yaml"), "utf8")
  const remote = text.replaceAll(
    /- \.\.\/\.\.\/(\S+)/g,
    `- file://${repository}//deploy/kustomize/$1?ref=v0.1.0`,
  )
  await writeFile(join(overlay, "kustomization.yaml"), remote)
  const kubectl = join(await toolsFolder(), "bin/kubectl")
  const { stdout } = await run(kubectl, ["kustomize", overlay], { maxBuffer: 1 << 26 })
  expect(stdout).toBe(await renderOverlayText("production"))
})
