import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { artifacts, folderOf } from "../release/artifacts.ts"
import { runScript } from "./runScript.ts"

const root = join(import.meta.dirname, "../..")
const folder = join(root, ".sitewire/release")

const dryRun = (version: string, options: string) =>
  runScript(`node kit/release/main.ts --version ${version} --dry-run ${options}`, root)

// The archives of libraries are built twice by the tests of their languages.
const others = artifacts.filter(({ folder }) => folder === ".")

test("the dry run of a release builds each artifact twice with equal bytes, and states the checksum of each file", {
  timeout: 900_000,
}, async () => {
  const options = others.map((each) => `--only ${folderOf(each)}`).join(" ")
  const { code, output } = await dryRun("0.1.0", options)
  expect(code, output).toBe(0)
  expect(output).toContain("3 files of 0.1.0, 0 artifacts skipped")
  const check = await runScript("sha256sum --check --quiet SHA256SUMS && wc -l <SHA256SUMS", folder)
  expect(check.code, check.output).toBe(0)
  const { subject } = JSON.parse(readFileSync(join(folder, "provenance.json"), "utf8"))
  expect(subject).toHaveLength(Number(check.output))
})

test("the dry run names each file that states another version", async () => {
  const { code, output } = await dryRun("9.9.9", "")
  expect(code).toBe(1)
  expect(output).toContain("problem: kit/java/pom.xml does not state <version>9.9.9</version>")
})
