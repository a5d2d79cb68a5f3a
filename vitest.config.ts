import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const testkit = (path: string) => fileURLToPath(new URL(`development/testkit/src/${path}`, import.meta.url))

// Each is a pattern of its own: in braces, `deploy/test/**` would match only folders below.
const folders = ["{packages,development,services}/*/{src,test}/**", "deploy/test/**", "kit/{test,publish}"]
const all = folders.map((folder) => `${folder}/*.test.ts`)
const extended = folders.map((folder) => `${folder}/*.extended.test.ts`)

/** Set by `npm test`, `npm run test:extended` and `npm run test:all`. */
const suite = process.env.SITEWIRE_TESTS ?? "all"

const inBrowser = /packages\/web\/test/
const long = /\/chaos\/|containers|accessibility|numbers|openApi|kit\/test|brokerFaults|startKafka\./

/**
 * Files that take minutes start first, so that no run ends with one process at work and the others idle. Tests in
 * a browser start last, because each container that starts fails what a browser loads.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      (inBrowser.test(moduleId) ? 2 : 0) + (long.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  // Contains how long each file took, so that the next run starts with the longest.
  cacheDir: ".sitewire/vitest",
  test: {
    include: suite === "extended" ? extended : all,
    exclude: ["**/node_modules/**", ...(suite === "main" ? extended : [])],
    globalSetup: [testkit("globalSetup.ts")],
    reporters: ["default", testkit("npmTest/summaryReporter.ts")],
    // A test waits for a condition and not for a time, so these limits only end what hangs. They are generous because
    // the machine may be busy. A file that needs more states why.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 90_000 } },
    // Files share a process, because importing the same packages again takes nearly a second of CPU time for each.
    isolate: false,
    // Tests mostly wait: for a broker, a database, a browser, a process or a time. The extended ones compute more.
    sequence: { sequencer: LongestFirst },
    maxWorkers: Math.min(12, (suite === "extended" ? 2 : 4) * availableParallelism()),
  },
})
