import { describeNetworkError } from "../../errors/describeNetworkError.ts"
import type { Session } from "../../session/createSession.ts"
import { findApi } from "../../target/findApi.ts"
import { findLocalStack } from "../../target/localStack.ts"
import { type Check, fault, ok } from "./check.ts"

/** Whether the services of the local stack are ready. Those of others are checked by what runs them. */
export async function checkServices(session: Session): Promise<Check[]> {
  const found = findLocalStack(session.cwd)
  if (found === null || !isTarget(session)) return []
  return Promise.all(Object.entries(found.stack.ops).map(([name, url]) => checkService(name, url)))
}

function isTarget(session: Session): boolean {
  try {
    return findApi(session).local
  } catch {
    return false
  }
}

async function checkService(name: string, url: string): Promise<Check> {
  const advice = "Restart the local stack: npm start."
  try {
    const response = await fetch(new URL("/readyz", url), { signal: AbortSignal.timeout(3_000) })
    if (response.ok) return ok(name, "is ready")
    return fault(name, `is not ready: ${(await response.text()).trim().slice(0, 500)}`, advice)
  } catch (error) {
    return fault(name, `does not respond: ${describeNetworkError(error)}`, advice)
  }
}
