import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, expect, test } from "vitest"
import { declared } from "../variables.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)
const assembled = await mkdtemp(join(tmpdir(), "sitewire-assembled-"))
afterAll(() => rm(assembled, { recursive: true, force: true }))

test.each([...declared.keys()])("%s has at most 35 MB of files, and starts with them", async (name) => {
  const dockerfile = await readFile(new URL("../Dockerfile", import.meta.url), "utf8")
  const stage = new RegExp(
    `^FROM sources AS ${name}-sources\nRUN node \\S+ sources (\\S+) /out/app ?(.*)$`,
    "m",
  )
  const [, workspace = "", folders = ""] = stage.exec(dockerfile) ?? []
  const to = join(assembled, name)
  const assemble = (...args: string[]) =>
    run(process.execPath, ["deploy/assemble/main.ts", ...args], { cwd: root })
  await assemble("installed", workspace, to)
  await assemble("sources", workspace, to, ...folders.split(" ").filter(Boolean))
  const entries = await readdir(to, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  // Node's compile cache and the page of the web console are added: an image has at most 45 MB.
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(35e6)
  expect(files.filter((file) => /\.test\.ts$|\.map$|sqlserver|mysql|node_modules.*\.ts$/.test(file))).toEqual(
    [],
  )
  // Which it serves.
  if (name === "console") expect(files).toContain(join(to, "packages/console/src/api/reference/llms.txt"))
  const { stdout } = await run(
    process.execPath,
    [`${workspace}/src/${name === "setup" ? "setup/" : ""}main.ts`, "--help"],
    { cwd: to },
  )
  expect(stdout).toContain("KAFKA_BROKERS")
})

test("the console's image names the packages in its page, with their licences, and nothing that only builds the page", async () => {
  const to = join(assembled, "notices")
  await run(process.execPath, ["deploy/assemble/main.ts", "notices", "packages/web", to], { cwd: root })
  const files = await readdir(to, { recursive: true })
  expect(files).toContain("node_modules/react-dom/package.json")
  expect(files).toContain("node_modules/react-dom/LICENSE")
  expect(files.filter((file) => /\/vite\/|playwright|\.[cm]?[jt]sx?$/.test(file))).toEqual([])
})
