import { incorrectUsage, unreachable } from "../errors/failure.ts"
import { missingAdvice } from "./advice.ts"
import { findLocalStack } from "./localStack.ts"
import { nonEmpty, type TargetSources } from "./targetSources.ts"

export type ApiTarget = {
  api: string
  key: string
  local: boolean
}

/** The form of a bearer key in an Authorization header (RFC 6750). */
const keyForm = /^[\w.~+/-]+=*$/

export function findApi({ options, env, cwd }: TargetSources): ApiTarget {
  const configured = options.api ?? nonEmpty(env.SITEWIRE_API)
  const configuredKey = nonEmpty(env.SITEWIRE_API_KEY?.trim())
  const found = configured === undefined || configuredKey === undefined ? findLocalStack(cwd) : null
  const api = configured ?? found?.stack.console
  if (api === undefined) throw unreachable(missingAdvice("the management API", "--api URL or SITEWIRE_API"))
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
  if (configuredKey !== undefined && !keyForm.test(configuredKey)) {
    throw incorrectUsage(
      "SITEWIRE_API_KEY contains a character that is invalid in a key, such as a quotation mark or a line break. " +
        "Set it to exactly what was printed when the key was created.",
    )
  }
  const local = found !== null && sameOrigin(api, found.stack.console)
  // A server at another address may belong to somebody else, so the local stack's key is never sent there.
  const key = configuredKey ?? (local ? found.stack.apiKey : undefined)
  if (key === undefined) {
    throw incorrectUsage(
      `There is no key for the management API at ${new URL(api).origin}. Set SITEWIRE_API_KEY to one.`,
    )
  }
  return { api, key, local: local && configured === undefined }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function containsCredentials(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== "" || password !== ""
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(other) && new URL(one).origin === new URL(other).origin
}
