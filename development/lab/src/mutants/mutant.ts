import { z } from "zod"

export const mutantSchema = z.strictObject({
  /** What goes wrong for users or operators, in a sentence. */
  name: z.string(),
  file: z.string(),
  /** The text that is replaced by `replace`. It must occur exactly once in the file. */
  find: z.string().min(1),
  replace: z.string(),
  /** The test files to run with the fault. At least one of their tests must fail. */
  tests: z.array(z.string()).min(1),
  /** Only tests with this text in their names run. It selects as few tests as can notice the fault. */
  testName: z.string().optional(),
})

export type Mutant = z.infer<typeof mutantSchema>
