import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Mutant } from "./mutant.ts"
import { runMutants } from "./runMutants.ts"
import type { RunTests } from "./runTests.ts"

const toy = "export const limit = 3\nexport const name = 'toy'\n"
const base: Mutant = {
  name: "the limit is 4",
  file: "limit.ts",
  find: "limit = 3",
  replace: "limit = 4",
  tests: ["limit.test.ts"],
}

async function judge(
  mutants: Mutant[],
  toyTests: (text: string) => boolean = (text) => text.includes("= 3"),
) {
  const tree = await mkdtemp(join(tmpdir(), "sitewire-toy-"))
  await writeFile(join(tree, "limit.ts"), toy)
  const runTests: RunTests = async () =>
    toyTests(await readFile(join(tree, "limit.ts"), "utf8"))
      ? { kind: "passed", tests: 1 }
      : { kind: "failed", failed: ["the limit is 3"] }
  const judged = await runMutants({ tree, mutants, runTests, progress: () => {} })
  const left = await readFile(join(tree, "limit.ts"), "utf8")
  await rm(tree, { recursive: true })
  return { verdicts: judged.map(({ verdict }) => verdict), left }
}

test("a fault is killed if a test fails, and survives otherwise; the file is restored after each", async () => {
  const unnoticed = { ...base, name: "another name", find: "'toy'", replace: "'other'" }
  const { verdicts, left } = await judge([base, unnoticed])
  expect(verdicts).toEqual([{ kind: "killed", by: "the limit is 3" }, { kind: "survived" }])
  expect(left).toBe(toy)
})

test("a fault whose text is not there, or is there twice, is reported and not passed over", async () => {
  const { verdicts } = await judge([
    { ...base, find: "limit = 5" },
    { ...base, find: "export const" },
  ])
  expect(verdicts).toEqual([
    { kind: "broken", why: "its text occurs 0 times in limit.ts, not once" },
    { kind: "broken", why: "its text occurs 2 times in limit.ts, not once" },
  ])
})

test("a fault that only makes its file unreadable is no fault", async () => {
  const { verdicts, left } = await judge([{ ...base, replace: "limit = = 3" }])
  expect(verdicts).toMatchObject([{ kind: "broken", why: expect.stringContaining("could not be parsed") }])
  expect(left).toBe(toy)
})

test("tests that fail without a fault show nothing", async () => {
  const { verdicts } = await judge([base], () => false)
  expect(verdicts).toEqual([{ kind: "broken", why: "without the fault: failed: the limit is 3" }])
})
