import { execFile } from "node:child_process"
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { runCommand } from "./fixtures/runCommand.ts"

const script = async (shell: string) => (await runCommand(["completion", shell])).stdout

const findShell = (name: string) => () => findProgram(name, `Debian: apt-get install ${name}.`)

test("zsh reads its script", async (context) => {
  needs(findShell("zsh"), context)
  const file = join(await mkdtemp(join(tmpdir(), "sitewire-completion-")), "_sitewire")
  await writeFile(file, await script("zsh"))
  await promisify(execFile)("zsh", ["-n", file])
})

test("fish completes verbs and the values of options", async (context) => {
  needs(findShell("fish"), context)
  const source = await script("fish")
  const offered = async (line: string) => {
    const { stdout } = await promisify(execFile)("fish", ["-N", "-c", `${source}\ncomplete -C '${line}'`])
    return stdout.split("\n").map((entry) => entry.split("\t")[0])
  }
  expect(await offered("sitewire delivery re")).toEqual(expect.arrayContaining(["resend", "resend-all"]))
  expect(await offered("sitewire delivery list --state d")).toEqual(
    expect.arrayContaining(["dead", "delivered"]),
  )
})
