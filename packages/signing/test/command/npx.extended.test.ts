import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { isSigned, secret, startReceiver, verifying } from "./receivers.ts"

const folder = mkdtempSync(join(tmpdir(), "sitewire-npx-"))

beforeAll(() => {
  const packaged = join(folder, "packaged")
  execFileSync(process.execPath, [join(import.meta.dirname, "../../package.ts"), packaged])
  writeFileSync(join(folder, "package.json"), '{"private":true}')
  const archive = execFileSync("npm", ["pack", packaged, "--silent"], {
    cwd: folder,
    encoding: "utf8",
  }).trim()
  execFileSync("npm", ["install", `./${archive}`, "--offline", "--no-audit", "--no-fund"], { cwd: folder })
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true }))

const npx = (...args: string[]) =>
  promisify(execFile)("npx", ["--offline", "@sitewire/signing", ...args], {
    cwd: folder,
    env: { ...process.env, SECRET: secret },
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }) => ({ code, stdout }),
  )

test("the installed command sends, certifies, and gives a program the vectors", async () => {
  const { url, received } = await startReceiver(verifying(isSigned))
  expect(await npx("send", url, "--secret-env", "SECRET")).toMatchObject({ code: 0 })
  expect(received.map((request) => isSigned(request))).toEqual([true])
  expect((await npx("check", url, "--secret-env", "SECRET")).stdout).toContain("10 passed")
  const echoed = await npx("check", "--", process.execPath, "-e", "process.stdin.pipe(process.stdout)")
  expect(echoed.stdout).toMatch(/\n0 of \d{3} vectors hold\.\n$/)
  expect(echoed.code).toBe(1)
  expect(await npx("send")).toMatchObject({ code: 2 })
})
