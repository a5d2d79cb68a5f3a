import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect, type TestContext } from "vitest"
import { shortLivedJava } from "../release/buildArtifact.ts"

/**
 * Runs a shell command to its end. Resolves to its exit code and all that it printed, first to the standard error, so that the
 * last line is that of the standard output.
 */
export async function runScript(
  command: string,
  cwd: string,
  env: Record<string, string> = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn("sh", ["-ec", command], { cwd, env: { ...process.env, ...shortLivedJava, ...env } })
  const printed = { stderr: "", stdout: "" }
  for (const name of ["stderr", "stdout"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (printed[name] += text))
  const [code] = await once(child, "close")
  return { code, output: printed.stderr + printed.stdout }
}

/** The exit code of a `test.sh`, after its line `skipped: REASON`, if a tool of its language is missing. */
const toolMissing = 77

/** Runs the `test.sh` of a folder, whose last line is `N passed`. The test is skipped if a tool is missing. */
export async function runTestScript(
  folder: string,
  context: TestContext,
  env?: Record<string, string>,
): Promise<void> {
  const { code, output } = await runScript("./test.sh", folder, env)
  const lastLine = output.trimEnd().split("\n").at(-1)
  if (code === toolMissing) context.skip(lastLine)
  expect(code, output).toBe(0)
  expect(lastLine).toMatch(/^[1-9]\d* passed$/)
}
