import { beforeEach, type TestContext } from "vitest"

export { findProgram, findUv } from "./findProgram.ts"

/**
 * What `find` returns, such as the path of a program. If it throws, every test of this file is skipped with the error's
 * message as the reason, and null is returned: a `beforeAll` of the file should then do nothing. With the context of a test,
 * only that test is skipped.
 */
export function needs<Found>(find: () => Found, context?: TestContext): Found | null {
  try {
    return find()
  } catch (error) {
    // A TypeError, for instance, is an error of the test.
    if (!(error instanceof Error) || error.name !== "Error") throw error
    const { message } = error
    if (context) context.skip(message)
    beforeEach((each) => each.skip(message))
    return null
  }
}
