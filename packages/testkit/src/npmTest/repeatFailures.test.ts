import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { repeatFailures } from "./repeatFailures.ts"

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "sitewire-repeat-"))
  await mkdir(join(root, "a/.sitewire"), { recursive: true })
  await mkdir(join(root, ".sitewire"))
})
afterEach(() => rm(root, { recursive: true }))

const tasks = [{ workspace: "a", folder: "a", cached: false }]

function report(statuses: Record<string, string>): string {
  const assertionResults = Object.entries(statuses).map(([fullName, status]) => ({ fullName, status }))
  return JSON.stringify({ testResults: [{ name: "/a/x.test.ts", assertionResults }] })
}

/** Repeats with a vitest that reports these statuses. Returns the result and the arguments that vitest got. */
async function repeat(first: Record<string, string>, alone: Record<string, string>) {
  await writeFile(join(root, "a/.sitewire/tests.json"), report(first))
  const runs: string[][] = []
  const { passedAlone } = await repeatFailures({
    root,
    tasks,
    async runVitest(args) {
      runs.push(args)
      await writeFile(join(root, ".sitewire/repeated.json"), report(alone))
      return 0
    },
  })
  return { names: passedAlone.map(({ name }) => name), runs }
}

test("a failed test is repeated alone, and reported if it then passes", async () => {
  const { names, runs } = await repeat(
    { one: "failed", two: "failed", three: "passed" },
    { one: "passed", two: "failed", three: "passed" },
  )
  expect(names).toEqual(["one"])
  expect(runs).toEqual([expect.arrayContaining(["run", "/a/x.test.ts", "--maxWorkers=1"])])
})

test("nothing is repeated if nothing failed", async () => {
  expect(await repeat({ one: "passed" }, {})).toEqual({ names: [], runs: [] })
})

test("more than five failures are not repeated", async () => {
  const failed = Object.fromEntries(["1", "2", "3", "4", "5", "6"].map((name) => [name, "failed"]))
  expect(await repeat(failed, {})).toEqual({ names: [], runs: [] })
})
