import type { Mutant } from "./mutant.ts"

/** Faults that were planted in reviews. Each review adds some; a fault whose code is gone is removed. */
export const mutants: readonly Mutant[] = [
  {
    name: "Database: the context of a seal omits the channel",
    file: "packages/database/src/sealContexts.ts",
    find: "(channel: string, secretId: string)",
    replace: "(_: string, secretId: string, channel = '')",
    tests: ["packages/database/src/seal.test.ts"],
    testName: "opens in the row that it was sealed for, and in no other",
  },
]
