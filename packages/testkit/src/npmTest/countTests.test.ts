import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { countTests } from "./countTests.ts"

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "sitewire-count-"))
})
afterEach(() => rm(root, { recursive: true }))

const task = (workspace: string, cached = false) => ({ workspace, folder: workspace, cached })

async function writeReport(workspace: string, report: object): Promise<void> {
  await mkdir(join(root, workspace, ".sitewire"), { recursive: true })
  const complete = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [], ...report }
  await writeFile(join(root, workspace, ".sitewire/tests.json"), JSON.stringify(complete))
}

test("adds up the reports of all workspaces, and states how many passes are cached", async () => {
  await writeReport("a", { numPassedTests: 3, numPendingTests: 1 })
  await writeReport("b", { numPassedTests: 4, numFailedTests: 2 })
  const count = await countTests(root, [task("a", true), task("b")])
  expect(count).toMatchObject({ line: "7 passed, 2 failed, 1 skipped (3 cached)", failed: 2, problems: [] })
})

test("names the skipped tests", async () => {
  const tests = [
    { status: "skipped", fullName: "needs Docker" },
    { status: "passed", fullName: "needs nothing" },
  ]
  const file = { name: join(root, "a/b.test.ts"), status: "passed", assertionResults: tests }
  await writeReport("a", { numPassedTests: 1, numPendingTests: 1, testResults: [file] })
  expect((await countTests(root, [task("a")])).skipped).toEqual(["a/b.test.ts > needs Docker"])
})

test("states how many tests passed only when they were repeated alone", async () => {
  await writeReport("a", { numPassedTests: 4, numFailedTests: 2 })
  const { line, failed } = await countTests(root, [task("a")], 1)
  expect({ line, failed }).toEqual({
    line: "5 passed, 1 failed (1 passed only when repeated alone)",
    failed: 1,
  })
})

test("reports a workspace that wrote no report", async () => {
  await writeReport("a", { numPassedTests: 1 })
  const { line, problems } = await countTests(root, [task("a"), task("b")])
  expect(line).toBe("1 passed, 0 failed")
  expect(problems).toEqual(["b wrote no report: its tests did not run to the end"])
})

test("reports that no test passed", async () => {
  await writeReport("a", {})
  expect((await countTests(root, [task("a")])).problems).toEqual(["no test passed"])
})

test("counts a file that cannot be loaded as one failed test", async () => {
  const notLoaded = { status: "failed", assertionResults: [] }
  const failedTest = { status: "failed", assertionResults: [{ status: "failed" }] }
  await writeReport("a", { numPassedTests: 1, numFailedTests: 1, testResults: [notLoaded, failedTest] })
  expect((await countTests(root, [task("a")])).line).toBe("1 passed, 2 failed")
})
