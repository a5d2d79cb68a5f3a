import { beforeEach } from "vitest"

export { findProgram } from "./findProgram.ts"

/**
 * What `find` returns, such as the path of a program. If it throws, returns null, and every test of this file is
 * skipped with the error's message as the reason. A `beforeAll` of the file should then do nothing.
 */
export function needs<Found>(find: () => Found): Found | null {
  try {
    return find()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    beforeEach((context) => context.skip(reason))
    return null
  }
}
