import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: [
      "packages/*/{src,test}/**/*.test.ts",
      "services/*/{src,test}/**/*.test.ts",
      "deploy/**/*.test.ts",
    ],
    // Real Kafka and Postgres, started once for all files.
    globalSetup: ["packages/testkit/src/globalSetup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
