import { beforeEach } from "vitest"

export { findProgram, findPython } from "./findProgram.ts"

/**
 * What `find` returns, such as the path of a program. If it throws, returns null, and every test of this file is
 * skipped with the error's message as the reason. A `beforeAll` of the file should then do nothing.
 */
export function needs<Found>(find: () => Found): Found | null {
  try {
    return find()
  } catch (error) {
    // A TypeError, for instance, is an error of the test.
    if (!(error instanceof Error) || error.name !== "Error") throw error
    const { message } = error
    beforeEach((context) => context.skip(message))
    return null
  }
}
