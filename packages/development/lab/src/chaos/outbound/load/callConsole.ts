import type { SupervisedProcess } from "@sitewire/testkit/installation"

type ConsoleResponse = { status: number; body: unknown }

/**
 * Sends a POST to the management API. Null if there was no response: the request may have had its effect or
 * not.
 */
export type CallConsole = (path: string, body?: unknown) => Promise<ConsoleResponse | null>

export function consoleCaller(member: SupervisedProcess, key: string): CallConsole {
  return async (path, body) => {
    const { console: origin } = member.addresses()
    if (origin === undefined) return null
    try {
      const response = await fetch(`${origin}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      })
      return { status: response.status, body: await response.json() }
    } catch {
      return null
    }
  }
}
