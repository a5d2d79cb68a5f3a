import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readFromProgram } from "./readFromProgram.ts"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "programs-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, script)
  return `${process.execPath} ${path}`
}

test("a program's line is the credential, without a shell, and its arguments are separated by spaces", async () => {
  const command = await program("arguments.mjs", "console.log(process.argv.slice(2).join('|'))")
  expect(await readFromProgram("VARIABLE", ` ${command}  --user $HOME "a;b" `)()).toBe('--user|$HOME|"a;b"')
})

test("calls at the same time and shortly after one another need one run", async () => {
  const runs = join(folder, "runs")
  const command = await program(
    "once.mjs",
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(runs)}, "x"); console.log("token")`,
  )
  const read = readFromProgram("VARIABLE", command)
  await Promise.all([read(), read()])
  await read()
  expect(await readFile(runs, "utf8")).toBe("x")
})

test.each([
  ["fails", 'console.log("s3cret"); console.error("s3cret"); process.exit(3)', "ended with the exit code 3"],
  ["prints nothing", 'console.error("s3cret")', "printed nothing"],
  ["prints two lines", 'console.log("s3cret"); console.log("s3cret")', "printed more than one line"],
  ["prints without an end", 'for (;;) console.log("s3cret".repeat(1000))', "printed more than 65536 bytes"],
  ["is killed", 'console.log("s3cret"); process.kill(process.pid, "SIGKILL")', "was ended by SIGKILL"],
])("a program that %s is reported without what it printed", async (name, script, reason) => {
  const command = await program(`${name.replaceAll(" ", "-")}.mjs`, script)
  const reading = readFromProgram("VARIABLE", command)()
  await expect(reading).rejects.toThrow(`The program of VARIABLE ${reason}`)
  await expect(reading).rejects.not.toThrow(/s3cret/)
})

test.each([
  ["nowhere", "was not found"],
  ["not-executable", "may not be executed"],
])("a program that cannot be started is reported: %s", async (name, reason) => {
  await writeFile(join(folder, "not-executable"), "", { mode: 0o600 })
  await expect(readFromProgram("VARIABLE", join(folder, name))()).rejects.toThrow(reason)
})

test("a program that does not end is killed, even if its child keeps its output open", async () => {
  const command = await program(
    "hangs.mjs",
    'import { spawn } from "node:child_process"; spawn("sleep", ["20"], { stdio: "inherit" }); setInterval(() => {}, 1000)',
  )
  await expect(readFromProgram("VARIABLE", command, 500)()).rejects.toThrow("did not end within 0.5 s")
})
