import { incorrectUsage } from "../errors/failure.ts"
import { profileInUse } from "../profile/profiles.ts"
import { findLocalStack } from "./localStack.ts"
import { missingAdvice, nonEmpty, selectedProfile, type TargetSources } from "./targetSources.ts"

export type ApiTarget = {
  api: string
  key: string
  local: boolean
}

/** The form of a bearer key in an Authorization header (RFC 6750). */
const keyForm = /^[\w.~+/-]+=*$/

/** An address with the key that belongs to it, and that is sent to no other address. */
type Pair = { api: string; key: string; local: boolean }

export function findApi(sources: TargetSources): ApiTarget {
  const { options, env } = sources
  const selected = selectedProfile(sources)
  const address = options.api ?? (selected ? undefined : nonEmpty(env.SITEWIRE_API))
  // With a selected profile, the environment's address and key are those of another installation.
  const key = selected ? undefined : nonEmpty(env.SITEWIRE_API_KEY?.trim())
  const pair = selected ? { ...selected, local: false } : findPair(sources, { address, key })
  const api = address ?? pair?.api
  if (api === undefined) {
    if (key !== undefined)
      throw incorrectUsage(
        "SITEWIRE_API_KEY is set, and is not sent to an address of another source. Set SITEWIRE_API, or give --api URL.",
      )
    throw incorrectUsage(missingAdvice("the management API", "--api URL, SITEWIRE_API or a profile"))
  }
  checkApiAddress(api)
  if (key !== undefined) checkKey(key, "SITEWIRE_API_KEY")
  const belongs = pair !== null && sameOrigin(api, pair.api)
  const found = key ?? (belongs ? pair.key : undefined)
  if (found === undefined) {
    throw incorrectUsage(
      `There is no key for the management API at ${new URL(api).origin}. Set SITEWIRE_API_KEY to one, ` +
        "or select its profile (--profile).",
    )
  }
  // `npm start`, and the documents of the API, show its address with the version.
  const root = api.replace(/\/v1\/?$/, "")
  return { api: root, key: found, local: belongs && pair.local && address === undefined }
}

function findPair(
  { env, cwd }: TargetSources,
  configured: { address: string | undefined; key: string | undefined },
): Pair | null {
  const { address, key } = configured
  // A key of the environment is not sent to an address of a profile or a file.
  if (key !== undefined) return null
  const profile = profileInUse(env)
  if (profile && (address === undefined || sameOrigin(address, profile.api)))
    return { ...profile, local: false }
  const stack = findLocalStack(cwd)?.stack
  return stack ? { api: stack.console, key: stack.apiKey, local: true } : null
}

/** Whether commands call the API of the local stack. */
export function usesLocalStack(sources: TargetSources): boolean {
  try {
    return findApi(sources).local
  } catch {
    return false
  }
}

export function checkApiAddress(api: string): void {
  if (!isHttpUrl(api)) {
    throw incorrectUsage(
      "The management API's address is not an http or https URL. Give it as http://host:port.",
    )
  }
  if (containsCredentials(api)) {
    throw incorrectUsage(
      "The management API's address contains a user name or password, which the API does not use. " +
        "Give it as http://host:port, and the key in SITEWIRE_API_KEY.",
    )
  }
}

export function checkKey(key: string, source: string): void {
  if (keyForm.test(key)) return
  throw incorrectUsage(
    `${source} contains a character that is invalid in a key, such as a quotation mark or a line break. ` +
      "Set it to exactly what was printed when the key was created.",
  )
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function containsCredentials(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== "" || password !== ""
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin
}
