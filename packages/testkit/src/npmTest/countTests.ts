import { readFile } from "node:fs/promises"
import { join, relative } from "node:path"
import type { TestTask } from "./listTestTasks.ts"

type Report = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[]
}

export type TestCount = {
  /** Such as `1051 passed, 0 failed, 2 skipped (230 cached)`. */
  line: string
  failed: number
  /** Each skipped test, such as `deploy/test/a.test.ts > a name`. */
  skipped: string[]
  /** Reasons, other than failed tests, why the run failed. */
  problems: string[]
}

/**
 * Adds up the reports that vitest wrote in each workspace. `passedAlone` is the number of tests that failed
 * in these reports, and passed when they were repeated.
 */
export async function countTests(root: string, tasks: TestTask[], passedAlone = 0): Promise<TestCount> {
  const total = { passed: 0, failed: 0, skipped: 0, cached: 0 }
  const problems: string[] = []
  const skippedTests: string[] = []
  for (const { workspace, folder, cached } of tasks) {
    const text = await readFile(join(root, folder, ".sitewire/tests.json"), "utf8").catch(() => undefined)
    if (text === undefined) {
      problems.push(`${workspace} wrote no report: its tests did not run to the end`)
      continue
    }
    const report = JSON.parse(text) as Report
    total.passed += report.numPassedTests
    total.failed += report.numFailedTests + filesThatFailedToLoad(report)
    total.skipped += report.numPendingTests
    skippedTests.push(...skippedIn(root, report))
    if (cached) total.cached += report.numPassedTests
  }
  total.passed += passedAlone
  total.failed -= passedAlone
  if (total.passed === 0) problems.push("no test passed")
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ""
  const cached = total.cached > 0 ? ` (${total.cached} cached)` : ""
  const alone = passedAlone > 0 ? ` (${passedAlone} passed only when repeated alone)` : ""
  const line = `${total.passed} passed, ${total.failed} failed${skipped}${cached}${alone}`
  return { line, failed: total.failed, skipped: skippedTests, problems }
}

function skippedIn(root: string, { testResults }: Report): string[] {
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "skipped" || status === "pending")
      .map(({ fullName }) => `${relative(root, file)} > ${fullName}`),
  )
}

/** vitest counts no test of a file that it cannot load. */
function filesThatFailedToLoad({ testResults }: Report): number {
  return testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((test) => test.status !== "failed"),
  ).length
}
