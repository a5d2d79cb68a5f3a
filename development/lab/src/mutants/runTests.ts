import { type StdioOptions, spawn } from "node:child_process"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"

export type TestRun =
  | { kind: "passed"; tests: number }
  | { kind: "failed"; failed: string[] }
  /** The tests did not start, or no test has this name. */
  | { kind: "broken"; why: string }

type WantedTests = { files: readonly string[]; testNames: readonly string[] }
export type RunTests = (wanted: WantedTests) => Promise<TestRun>

type Report = {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

const longestMs = 600_000

/** If `testNames` is empty, all tests of the files run. */
export function testRunner(settings: {
  tree: string
  env: Record<string, string | undefined>
  signal: AbortSignal
}): RunTests {
  const { tree, env, signal } = settings
  const reportFile = join(tree, ".sitewire", "mutants.json")
  return async ({ files, testNames }) => {
    await rm(reportFile, { force: true })
    const reporting = ["--reporter=json", `--outputFile=${reportFile}`]
    const named = testNames.length === 0 ? [] : ["-t", testNames.map(literally).join("|")]
    const args = ["node_modules/vitest/vitest.mjs", "run", ...reporting, ...named, ...files]
    const stdio: StdioOptions = ["ignore", "pipe", "pipe"]
    const child = spawn(process.execPath, args, { cwd: tree, env, stdio, signal, timeout: longestMs })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (text) => (output = `${output}${text}`.slice(-4_000)))
    // An abort ends the child and causes this error. `throwIfAborted` reports it.
    child.on("error", () => {})
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    signal.throwIfAborted()
    const report = await readFile(reportFile, "utf8").catch(() => null)
    if (report === null) return { kind: "broken", why: `vitest wrote no report. ${output}` }
    return judge(JSON.parse(report) as Report, code)
  }
}

function judge({ testResults }: Report, code: number | null): TestRun {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName)
  const passed = tests.filter(({ status }) => status === "passed").length
  if (failed.length > 0) return { kind: "failed", failed }
  const failedFile = testResults.find(({ status }) => status === "failed")
  if (failedFile) return { kind: "failed", failed: [failedFile.message.split("\n")[0] ?? failedFile.name] }
  if (passed === 0) return { kind: "broken", why: "no test has this name" }
  return code === 0
    ? { kind: "passed", tests: passed }
    : { kind: "failed", failed: ["an error outside of tests"] }
}

/** Escapes a test's name, because vitest reads it as a regular expression. */
function literally(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
}
