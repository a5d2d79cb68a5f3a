import type { Mutant } from "../mutant.ts"

export const egressMutants: readonly Mutant[] = [
  {
    name: "Egress: the time limit of a call restarts after its wait for a connection",
    file: "packages/egress/src/request/exchange.ts",
    find: "      this.#waits = false\n      this.#connectedAt",
    replace:
      "      this.#waits = false\n      this.limitFromNow(this.#options.limitMs)\n      this.#connectedAt",
    tests: ["packages/egress/src/request/request.test.ts"],
    testName: "the wait for a connection counts towards the time limit",
  },
  {
    name: "Egress: a source can make the brotli decoder of each sync allocate 16 MiB",
    file: "packages/egress/src/request/decodeBody.ts",
    find: "needsLargeWindow(firstByte) ?",
    replace: "needsLargeWindow(0) ?",
    tests: ["packages/egress/src/request/download.test.ts"],
    testName: "because its decoder would need too much memory",
  },
]
