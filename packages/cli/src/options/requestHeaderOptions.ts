import type { RequestHeaders } from "@sitewire/contracts"
import { Option } from "commander"
import { incorrectUsage } from "../errors/failure.ts"
import type { Session } from "../session/createSession.ts"

export type RequestHeaderOptions = { headerEnv?: string[]; removeHeaders?: boolean }

/** The values are never arguments, because other users of the machine can read arguments. */
export const requestHeaderOption = new Option(
  "--header-env <name=variable>",
  "a header of each request to the partner, and the environment variable with its value (can be repeated)",
).argParser((pair: string, before: string[] | undefined) => [...(before ?? []), pair])

export const removeHeadersOption = new Option("--remove-headers", "remove all request headers")

/** The field of a request body, or nothing if no option says anything about headers. */
export function readRequestHeaders(
  { env }: Pick<Session, "env">,
  { headerEnv = [], removeHeaders = false }: RequestHeaderOptions,
): { request_headers?: RequestHeaders } {
  if (removeHeaders && headerEnv.length > 0)
    throw incorrectUsage("--header-env replaces all request headers. Omit --remove-headers.")
  if (headerEnv.length === 0 && !removeHeaders) return {}
  const request_headers = headerEnv.map((pair) => {
    const [name = "", variable = ""] = pair.split("=", 2)
    const value = env[variable]
    // The message does not quote the pair: users mistakenly put the secret itself there.
    if (name === "" || !value) {
      throw incorrectUsage(
        "--header-env needs a header's name, = and the name of a variable that is set, such as Authorization=PARTNER_TOKEN.",
      )
    }
    return { name, value }
  })
  return { request_headers }
}
