import { type Installation, runScript } from "@sitewire/testkit/installation"
import { fillActions } from "./data/fillActions.ts"
import { fillChannels } from "./data/fillChannels.ts"
import { fillConnections } from "./data/fillConnections.ts"
import { fillDeliveries } from "./data/fillDeliveries.ts"

type Started = {
  origin: string
  /** `scopes` are separated by commas. */
  createKey: (name: string, scopes: string) => Promise<string>
}

/**
 * Fills an installation with realistic data, and starts a console, as a process unless `start` does otherwise. No other service runs,
 * so the data does not change.
 */
export async function serveFilled(
  it: Installation,
  {
    empty = false,
    countedHours = 24,
    start = startProcess,
  }: {
    empty?: boolean
    countedHours?: number
    start?: (it: Installation, env: Record<string, string>) => Promise<Started>
  },
) {
  if (!empty) await fill(it, countedHours)
  const { origin, createKey } = await start(it, {
    API_REQUESTS_PER_MINUTE: "1000000",
    API_PARTNER_REQUESTS_PER_MINUTE: "1000000",
    LOG_LEVEL: "warn",
  })
  return {
    origin,
    sql: it.sql,
    stop: () => it.stop(),
    createKey,
    /** A link that signs in once, at the console or at a server in front of it. */
    createLink: async (key: string, at = origin) =>
      (await post<{ url: string }>(`${at}/v1/sign-in-links`, key)).url,
  }
}

async function startProcess(it: Installation, env: Record<string, string>): Promise<Started> {
  const args = ["--name", "first key", "--scopes", "admin"]
  const script = "packages/console/src/tools/createKey.ts"
  const [{ addresses }, printed] = await Promise.all([
    it.start("console", env),
    runScript(script, args, { DATABASE_URL: it.databaseUrl }),
  ])
  const origin = addresses.console ?? ""
  return {
    origin,
    createKey: async (name, scopes) =>
      (await post<{ key: string }>(`${origin}/v1/keys`, printed.trim(), { name, scopes: scopes.split(",") }))
        .key,
  }
}

async function post<Created>(url: string, key: string, body?: object): Promise<Created> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, ...(body && { body: JSON.stringify(body) }) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json() as Promise<Created>
}

/** A healthy partner, a slow one, a failing one, a paused one, and a burst of triggers. */
async function fill(it: Installation, countedHours: number): Promise<void> {
  const now = Date.now()
  await fillChannels(it, now)
  await fillDeliveries(it, now)
  await fillConnections(it, now)
  await fillActions(it, now)
  // The console counts the minutes of these hours when it starts.
  await it.sql("update statistics_position set counted_through = $1", [
    new Date(Math.floor(now / 60_000) * 60_000 - countedHours * 3_600_000),
  ])
}
