export type Mutant = {
  /** What goes wrong for users or operators, in a sentence. */
  name: string
  file: string
  /** The text that is replaced by `replace`. It must occur exactly once in the file. */
  find: string
  replace: string
  /** The test files to run with the fault. At least one of their tests must fail. */
  tests: readonly string[]
  /** Only tests with this text in their names run. It selects as few tests as can notice the fault. */
  testName?: string
}
