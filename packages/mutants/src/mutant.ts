/** A fault that tests must notice. */
export type Mutant = {
  /** What goes wrong for users or operators, in a sentence. */
  name: string
  /** The file that gets the fault, relative to the repository. */
  file: string
  /** Text that occurs exactly once in the file. */
  find: string
  replace: string
  /** The test files of which at least one test must fail. */
  tests: readonly string[]
  /** Only tests with this text in their names run: the narrowest that notices the fault. */
  testName?: string
}
