import { allRoles, scopeCatalogue, scopeNames } from "@sitewire/contracts"
import { z } from "zod"
import packageJson from "../../../package.json" with { type: "json" }
import { createClient } from "../../api/client.ts"
import { describeNetworkError } from "../../errors/describeNetworkError.ts"
import { Failure } from "../../errors/failure.ts"
import { relativeTime } from "../../output/time.ts"
import type { Session } from "../../session/createSession.ts"
import { type ApiTarget, findApi } from "../../target/findApi.ts"
import { unreachableAdvice } from "../../target/targetSources.ts"
import { type Check, compareClocks, fault, measureClock, notChecked, ok, warning } from "./check.ts"

const timeoutMs = 5_000
const expiresSoonMs = 7 * 86_400_000
const documentSchema = z.object({ info: z.object({ title: z.string(), version: z.string() }) })

export async function checkApi(session: Session): Promise<Check[]> {
  let target: ApiTarget
  try {
    target = findApi(session)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [fault("management API", "its address or key is not configured", error.message)]
  }
  const reached = await reach(target)
  if ("state" in reached) return [reached]
  const key = await checkKey(target)
  const clock = await measureClock(() => readDate(target), 1_000).catch(() => null)
  return [
    ok("management API", `${new URL(target.api).origin} responds`),
    checkVersion(reached.version),
    ...key,
    clock === null
      ? notChecked("console's clock", "the response has no Date header")
      : compareClocks("console's clock", clock),
  ]
}

async function reach({ api, local }: ApiTarget): Promise<Check | { version: string }> {
  const name = "management API"
  const origin = new URL(api).origin
  try {
    const response = await get(api, "/openapi.json")
    const parsed = documentSchema.safeParse(await response.json().catch(() => null))
    if (response.ok && parsed.success) return { version: parsed.data.info.version }
    return fault(
      name,
      `${origin} is another server: it has no OpenAPI document of Sitewire`,
      "Check the address.",
    )
  } catch (error) {
    return fault(
      name,
      `${origin} cannot be reached: ${describeNetworkError(error)}`,
      unreachableAdvice(local),
    )
  }
}

function get(api: string, path: string): Promise<Response> {
  const url = `${api.replace(/\/+$/, "")}${path}`
  return fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) })
}

async function readDate({ api }: ApiTarget): Promise<Date> {
  const response = await get(api, "/")
  await response.arrayBuffer()
  const date = new Date(response.headers.get("date") ?? "")
  if (Number.isNaN(date.getTime())) throw new Error("no date")
  return date
}

function checkVersion(version: string): Check {
  const own = packageJson.version
  if (version === own) return ok("version", `${version}, of the console and of this command`)
  return warning(
    "version",
    `the console has ${version}, and this command ${own}`,
    "Use a command of the console's version: others may not know all fields.",
  )
}

async function checkKey(target: ApiTarget): Promise<Check[]> {
  try {
    const { id, name, scopes, expires_at } = await createClient({ ...target, timeoutMs }).readCurrentApiKey()
    const known = `"${name}" (${id})`
    const expiry = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - Date.now()
    const when = expires_at === null ? "does not expire" : `expires ${relativeTime(expires_at, new Date())}`
    const key =
      expiry < expiresSoonMs
        ? warning("API key", `${known} ${when}`, renewal(scopes))
        : ok("API key", `${known} ${when}`)
    return [key, ok("scopes", `${scopes.join(", ")}: ${allows(scopes)}`)]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const rejected = error.problem?.status === 401
    const advice = rejected
      ? "Set SITEWIRE_API_KEY, or the profile's key (sitewire profile add), to a valid one. An administrator creates one with sitewire key create."
      : "See the console's log for this request."
    return [fault("API key", rejected ? "the console does not accept it" : error.message, advice)]
  }
}

function renewal(scopes: readonly string[]): string {
  return scopes.includes("admin")
    ? "Create another one: sitewire key create"
    : "Ask the operator for another one. Only a key with the scope admin may create keys."
}

function allows(scopes: readonly string[]): string {
  if (allRoles.every((role) => scopes.includes(role))) return "every command"
  const named = scopeNames.filter((name) => scopes.some((scope) => scope.split(":")[0] === name))
  return named.map((name) => scopeCatalogue[name].allows).join("; ")
}
