import { access, glob, readdir, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { root } from "../folders.ts"
import { fillTables } from "./fillTables.ts"
import { findReferences } from "./findReferences.ts"
import { makeTables } from "./makeTables.ts"
import { readLocal, readProcesses } from "./readProcesses.ts"

const decisions = (await readdir(join(root, "docs/decisions"))).map((name) => `docs/decisions/${name}`)
const pages = ["README.md", "CONTRIBUTING.md", "docs/runbook.md", ...decisions]
const read = (page: string) => readFile(join(root, page), "utf8")

test("the README's tables are what the code declares", async () => {
  const readme = await read("README.md")
  const tables = makeTables(await readProcesses(), readLocal())
  const filled = fillTables(readme, tables)
  const outdated = [...tables].filter(([, table]) => !readme.includes(table)).map(([name]) => name)
  expect(outdated, "these tables of README.md are out of date: write them with npm run docs").toEqual([])
  expect(filled === readme, "README.md is not what npm run docs writes: run it").toBe(true)
})

test.each(pages)("every script that %s names exists", async (page) => {
  const { scripts } = JSON.parse(await read("package.json"))
  const named = findReferences(await read(page), []).scripts
  const missing = named.filter((script) => !(script in scripts))
  expect(missing, `${page} names scripts that package.json does not have`).toEqual([])
})

test.each(pages)("every path that %s names exists", async (page) => {
  const folders = (await readdir(root, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && entry.name !== ".sitewire" && entry.name !== "node_modules")
    .map(({ name }) => name)
  const { paths } = findReferences(await read(page), folders)
  const missing = []
  for (const path of paths) if (!(await exists(page, path))) missing.push(path)
  expect(missing, `${page} names paths that do not exist`).toEqual([])
})

test.each(["README.md", "docs/runbook.md"])("every metric that %s names exists", async (page) => {
  const existing = new Set<string>()
  for await (const file of glob("{services,packages}/*/src/**/*.ts", { cwd: root })) {
    for (const [, name = ""] of (await read(file)).matchAll(/name: "(sitewire_\w+)"/g)) existing.add(name)
  }
  const named = new Set((await read(page)).match(/\bsitewire_[a-z_]+[a-z]/g))
  const missing = [...named].filter((name) => !existing.has(name.replace(/_bucket$/, "")))
  expect(named.size).toBeGreaterThan(10)
  expect(missing, `${page} names metrics that no process has`).toEqual([])
})

test("a missing script and a broken link are found, and what only looks like a path is not", () => {
  const text =
    "Run `npm run nothing`, read [this](docs/none.md#part) and [that](https://example.org/x) in `packages/none`; " +
    "`application/json`, `packages/*/src`."
  expect(findReferences(text, ["packages"])).toEqual({
    scripts: ["nothing"],
    paths: ["docs/none.md", "packages/none"],
  })
})

test("a table without a place and a place without a table are said by name", () => {
  const text = "<!-- table:a -->\n<!-- /table -->\n"
  expect(fillTables(text, new Map([["a", "| x |"]]))).toContain("| x |")
  expect(() => fillTables(text, new Map())).toThrow(/"a"/)
  expect(() => fillTables(text, new Map(["a", "b"].map((name) => [name, ""] as const)))).toThrow(
    /no place for: b/,
  )
})

/** Links are meant from the page's folder; paths in backticks from the repository's. */
async function exists(page: string, path: string): Promise<boolean> {
  const there = (full: string) =>
    access(full).then(
      () => true,
      () => false,
    )
  return (await there(join(root, dirname(page), path))) || (await there(join(root, path)))
}
