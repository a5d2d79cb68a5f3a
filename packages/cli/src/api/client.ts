import { apiProblemSchema, type Problem, parseJson } from "@sitewire/contracts"
import {
  type ClientRequest,
  type Client as ClientWith,
  createClient as clientOf,
} from "@sitewire/contracts/client"
import { type Route, routes } from "@sitewire/contracts/routes"
import { z } from "zod"
import { describeNetworkError } from "../errors/describeNetworkError.ts"
import { Failure, failed, rejectedByApi, unreachable } from "../errors/failure.ts"
import { sendChange } from "./sendChange.ts"

type ApiOptions = {
  /** The management API's address without /v1. */
  api: string
  key: string
  timeoutMs?: number
}

type RequestOptions = {
  accept?: string
  /** For a route that waits for something. Default: the client's. */
  timeoutMs?: number
  /** Ends the request, instead of the timeout. */
  signal?: AbortSignal
}

export type Client = ClientWith<RequestOptions>
export type PageQuery = { cursor?: string | undefined; limit?: number }

/**
 * A client of the management API. Its functions reject with a Failure, whose `problem` is set if the API rejected the
 * request.
 */
export function createClient({ api, key, timeoutMs: usualTimeoutMs = 15_000 }: ApiOptions): Client {
  const base = api.replace(/\/+$/, "")

  async function sendOnce(
    { method, path, body }: ClientRequest,
    { accept = "application/json", timeoutMs = usualTimeoutMs, signal }: RequestOptions,
    more: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(base + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: accept,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...more,
      },
      body: body === undefined ? null : JSON.stringify(body),
      // Following a redirect would send the key to an address that the user did not configure.
      redirect: "manual",
      signal: signal ?? AbortSignal.timeout(timeoutMs),
    })
    if (response.ok) return response
    throw rejectedByApi(parseProblem(response.status, await response.text()))
  }

  async function send(request: ClientRequest, options: RequestOptions = {}): Promise<unknown> {
    const { success, alternative }: Route = routes[request.operation]
    if (!success.schema) return reach(() => sendOnce(request, options))
    const schema = alternative ? z.union([success.schema, alternative]) : success.schema
    const read = async (headers = {}) => (await sendOnce(request, options, headers)).text()
    const text = await reach(() => (changes(request) ? sendChange(request.method, read) : read()))
    const value = parseJson(text)
    const parsed = schema.safeParse(value)
    if (!parsed.success) throw failed(unexpectedResponse(parsed.error))
    // `value` instead of parsed.data, because --json also prints fields that this version's schema does not
    // contain.
    return value
  }

  async function reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Failure) throw error
      throw unreachable(`The management API at ${api} cannot be reached: ${describeNetworkError(error)}.`)
    }
  }

  function unexpectedResponse(error: z.ZodError): string {
    const fields = new Set(error.issues.map((issue) => issue.path.join(".") || "the whole response"))
    return (
      `The response of ${api} is not the management API's: missing or invalid: ${[...fields].join(", ")}. ` +
      "Check the address, and that the API and this command have the same version."
    )
  }

  return clientOf(routes, send)
}

/** False for a dry run, too. */
function changes({ method, body }: ClientRequest): boolean {
  const isDryRun = typeof body === "object" && body !== null && "dry_run" in body && body.dry_run === true
  return method !== "GET" && !isDryRun
}

function parseProblem(status: number, text: string): Problem {
  const parsed = apiProblemSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const detail =
    "The response is not the management API's. Check the address: the trigger gateway has another one."
  return { type: "about:blank", title: "Unexpected response", status, detail }
}
