import type { Mutant } from "../mutant.ts"

export const databaseMutants: readonly Mutant[] = [
  {
    name: "Database: a signing secret opens in another channel's row",
    file: "packages/database/src/sealContexts.ts",
    find: "(channel: string, secretId: string)",
    replace: '(_: string, secretId: string, channel = "")',
    tests: ["packages/database/src/seal.test.ts"],
    testName: "opens in the row that it was sealed for, and in no other",
  },
  {
    name: "Database: a token opens in another connection's row",
    file: "packages/database/src/sealContexts.ts",
    find: "(connection: string)",
    replace: '(_: string, connection = "")',
    tests: ["packages/database/src/seal.test.ts"],
    testName: "opens in the row that it was sealed for, and in no other",
  },
]
