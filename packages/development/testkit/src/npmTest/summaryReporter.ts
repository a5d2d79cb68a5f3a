import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Reporter, SerializedError, TestModule } from "vitest/node"

const root = fileURLToPath(new URL("../../../../../", import.meta.url))

/**
 * Ends the output with each skipped test and its reason, and a line such as `1051 passed, 0 failed, 2 skipped`, which
 * is also written to `.sitewire/tests-<suite>.txt`. A file that cannot be loaded counts as one failed test.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 }
    const skipped: string[] = []
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === "passed") count.passed++
        else if (result.state === "failed") count.failed++
        else {
          count.skipped++
          const reason = (result.state === "skipped" && result.note) || "no reason is given"
          skipped.push(`skipped: ${module.relativeModuleId} > ${test.fullName}: ${reason}`)
        }
      }
    }
    const total = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`
    process.stdout.write(`${[...skipped, total].join("\n")}\n`)
    const file = join(root, ".sitewire", `tests-${process.env.SITEWIRE_TESTS ?? "all"}.txt`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${total}\n`)
  }
}
