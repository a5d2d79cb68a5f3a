import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** One vitest for each workspace, started by turbo; otherwise one for the whole repository. */
const inWorkspace = process.env.TURBO_HASH !== undefined

export default defineConfig({
  // Contains how long each file took, so that the next run starts with the longest.
  cacheDir: ".sitewire/vitest",
  test: {
    include: [
      "{src,test}/**/*.test.ts",
      "*.test.ts",
      "{packages,services}/*/{src,test}/**/*.test.ts",
      "deploy/test/**/*.test.ts",
    ],
    globalSetup: [fileURLToPath(new URL("packages/testkit/src/globalSetup.ts", import.meta.url))],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Files share a process, because importing the same packages again takes nearly a second of CPU time for each.
    isolate: false,
    // Turbo runs several workspaces at a time, each one file at a time.
    maxWorkers: inWorkspace ? 1 : 2,
    reporters: inWorkspace ? ["default", ["json", { outputFile: ".sitewire/tests.json" }]] : ["default"],
  },
})
