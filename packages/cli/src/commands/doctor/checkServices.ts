import { describeNetworkError } from "../../errors/describeNetworkError.ts"
import type { Session } from "../../session/createSession.ts"
import { usesLocalStack } from "../../target/findApi.ts"
import { findLocalStack } from "../../target/localStack.ts"
import { type Check, fault, ok } from "./check.ts"

/** Whether the services of the local stack are ready. Those of others are checked by what runs them. */
export async function checkServices(session: Session): Promise<Check[]> {
  if (!usesLocalStack(session)) return []
  const stack = findLocalStack(session.cwd)?.stack
  return Promise.all(Object.entries(stack?.ops ?? {}).map(([name, url]) => checkService(name, url)))
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
