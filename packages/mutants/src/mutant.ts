/** A fault that tests must notice. */
export type Mutant = {
  /** What goes wrong for users or operators, in a sentence. */
  name: string
  /** The file that gets the fault, relative to the repository. */
  file: string
  /** Text that occurs exactly once in the file. */
  find: string
  replace: string
  /** The test files, of whose tests at least one must fail. */
  tests: readonly string[]
  /** Only tests with this text in their names run: the fewest that notice the fault. */
  testName?: string
}
