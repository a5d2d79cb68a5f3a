import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { receiverFaultNames } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"

const script = async (shell: string) => (await runCommand(["completion", shell])).stdout

/** What bash offers when the cursor is at the end of the last word. */
async function complete(source: string, words: string[]): Promise<string[]> {
  const list = words.map((word) => `'${word}'`).join(" ")
  const code = `${source}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _sitewire; echo "\${COMPREPLY[*]}"`
  const { stdout } = await promisify(execFile)("bash", ["-c", code])
  return stdout.trim().split(" ").sort()
}

test("bash completes nouns, verbs, options and the values of options", async () => {
  const source = await script("bash")
  const offered = (...words: string[]) => complete(source, ["sitewire", ...words])
  expect(await offered("de")).toEqual(["delivery"])
  expect(await offered("")).toEqual(
    expect.arrayContaining(["channel", "doctor", "key", "--json", "--version"]),
  )
  expect(await offered("")).not.toContain("publish")
  expect(await offered("delivery", "re")).toEqual(["resend", "resend-all", "reveal"])
  expect(await offered("channel", "secret", "")).toEqual(
    expect.arrayContaining(["activate", "retire", "stage"]),
  )
  expect(await offered("delivery", "list", "--st")).toEqual(["--state"])
  expect(await offered("delivery", "list", "--state", "d")).toEqual(["dead", "delivered"])
  expect(await offered("delivery", "list", "--state", "=", "d")).toEqual(["dead", "delivered"])
  expect(await offered("listen", "--behave", "")).toEqual([...receiverFaultNames].sort())
  // bash itself then completes the names of files.
  expect(await offered("event", "publish", "--file", "")).toEqual([""])
  expect(await offered("job", "cancel", "job_1", "--pro")).toEqual(["--profile"])
})

test("the scripts for zsh and fish contain every command and the values of options", async () => {
  const [zsh, fish] = [await script("zsh"), await script("fish")]
  expect(zsh).toContain(
    '"delivery list --state") compadd -- pending delivered dead cancelled erased; return ;;',
  )
  expect(zsh).toContain(`'revoke:revoke an API key\\: no request`)
  expect(fish).toContain(
    `-n '__sitewire_at "delivery list"' -l state -x -a 'pending delivered dead cancelled erased'`,
  )
  expect(fish).toContain(`-n '__sitewire_at "key"' -f -a revoke`)
})
