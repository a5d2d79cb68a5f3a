import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Reporter, SerializedError, TestModule } from "vitest/node"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

type Failure = { message?: string; stack?: string; cause?: unknown }

const ownPlace = /[^\s(]*\/((?:packages|services|development|deploy|kit)\/(?!.*node_modules)[^\s)]+:\d+):\d+/

/**
 * The first lines of the error and of its cause, which for a property are its seed and the assertion that failed, and
 * the line of the test. Enough to repeat a failure that only the end of a log tells of.
 */
function describe([error]: readonly Failure[] = []): string {
  if (!error) return ""
  const cause = error.cause as Failure | undefined
  const lines = [...(error.message?.split("\n", 3) ?? []), ...(cause?.message?.split("\n", 3) ?? [])]
  const place = ownPlace.exec(cause?.stack ?? error.stack ?? "")?.[1]
  return [...lines.filter(Boolean), ...(place ? [`at ${place}`] : [])]
    .map((line) => line.slice(0, 300))
    .join("\n    ")
}

/**
 * Ends the output with each skipped test and its reason, each failed test and the first lines of its error, and a line such
 * as `1051 passed, 0 failed, 2 skipped`. They are also written to `.sitewire/tests-<suite>.txt`. A file that cannot be
 * loaded, or whose hook fails, counts as one failed test.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 }
    const skipped: string[] = []
    const failed = unhandled.map(({ message }) => `failed: outside of a test: ${message}`)
    for (const module of modules) {
      if (module.errors().length > 0) {
        count.failed++
        failed.push(`failed: ${module.relativeModuleId}: ${describe(module.errors())}`)
      }
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === "passed") count.passed++
        else if (result.state === "failed") {
          count.failed++
          failed.push(`failed: ${module.relativeModuleId} > ${test.fullName}: ${describe(result.errors)}`)
        } else {
          count.skipped++
          const reason = (result.state === "skipped" && result.note) || "no reason is given"
          skipped.push(`skipped: ${module.relativeModuleId} > ${test.fullName}: ${reason}`)
        }
      }
    }
    const total = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`
    const lines = `${[...skipped, ...failed, total].join("\n")}\n`
    process.stdout.write(lines)
    const file = join(root, ".sitewire", `tests-${process.env.SITEWIRE_TESTS ?? "all"}.txt`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, lines)
  }
}
