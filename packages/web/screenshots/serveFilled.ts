import { type Installation, runScript } from "@sitewire/testkit/installation"
import { fill } from "./data/fill.ts"

/** Fills an installation with realistic data, and starts a console. No other service runs, so the data does not change. */
export async function serveFilled(
  it: Installation,
  {
    empty = false,
    oldDeliveries = 0,
    env = {},
  }: { empty?: boolean; oldDeliveries?: number; env?: Record<string, string> },
) {
  if (!empty) await fill(it, oldDeliveries)
  const started = it.start("console", {
    API_REQUESTS_PER_MINUTE: "1000000",
    API_PARTNER_REQUESTS_PER_MINUTE: "1000000",
    LOG_LEVEL: "warn",
    ...env,
  })
  const args = ["--name", "first key", "--scopes", "admin"]
  const script = "packages/console/src/tools/createKey.ts"
  const [{ addresses }, printed] = await Promise.all([
    started,
    runScript(script, args, { DATABASE_URL: it.databaseUrl }),
  ])
  const origin = addresses.console ?? ""

  async function post<Created>(path: string, key: string, body?: object, at = origin): Promise<Created> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const response = await fetch(`${at}${path}`, {
      method: "POST",
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<Created>
  }

  return {
    origin,
    sql: it.sql,
    stop: () => it.stop(),
    /** `scopes` are separated by commas. */
    createKey: async (name: string, scopes: string) =>
      (await post<{ key: string }>("/v1/keys", printed.trim(), { name, scopes: scopes.split(",") })).key,
    /** A link that signs in once, at the console or at a server in front of it. */
    createLink: async (key: string, at = origin) =>
      (await post<{ url: string }>("/v1/sign-in-links", key, undefined, at)).url,
  }
}
