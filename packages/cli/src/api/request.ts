import { apiProblemSchema, type Problem, parseJson } from "@sitewire/contracts"
import type { z } from "zod"
import { describeNetworkError } from "../errors/describeNetworkError.ts"
import { Failure, failed, rejectedByApi, unreachable } from "../errors/failure.ts"
import { sendChange } from "./sendChange.ts"

export type ApiOptions = {
  /** The management API's address without /v1. */
  api: string
  key: string
  timeoutMs?: number
}

export type ApiRequest = {
  method?: "GET" | "POST" | "PATCH" | "DELETE"
  path: string
  query?: object
  headers?: Record<string, string>
  body?: unknown
  /** A POST that changes nothing. */
  dryRun?: boolean | undefined
  /** For a route that waits for something. Default: the client's. */
  timeoutMs?: number
  /** Ends the request, instead of the timeout. */
  signal?: AbortSignal
}

export function createRequest({ api, key, timeoutMs: usualTimeoutMs = 15_000 }: ApiOptions) {
  const base = `${api.replace(/\/+$/, "")}/v1/`

  async function sendOnce({
    method = "GET",
    path,
    query = {},
    body,
    ...more
  }: ApiRequest): Promise<Response> {
    const url = new URL(path, base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const headers: Record<string, string> = {
      Authorization: `Bearer ${key}`,
      Accept: "application/json",
      ...more.headers,
    }
    if (body !== undefined) headers["Content-Type"] = "application/json"
    const response = await fetch(url, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      // Following a redirect would send the key to an address that the user did not configure.
      redirect: "manual",
      signal: more.signal ?? AbortSignal.timeout(more.timeoutMs ?? usualTimeoutMs),
    })
    if (response.ok) return response
    throw rejectedByApi(parseProblem(response.status, await response.text()))
  }

  async function readText(request: ApiRequest): Promise<string> {
    const { method = "GET", dryRun = false } = request
    const read = async (headers = {}) =>
      (await sendOnce({ ...request, headers: { ...request.headers, ...headers } })).text()
    return method === "GET" || dryRun ? read() : sendChange(method, read)
  }

  function send(request: ApiRequest): Promise<Response> {
    return reach(() => sendOnce(request))
  }

  async function call<T>(schema: z.ZodType<T>, request: ApiRequest): Promise<T> {
    const value = parseJson(await reach(() => readText(request)))
    const parsed = schema.safeParse(value)
    if (!parsed.success) throw failed(unexpectedResponse(parsed.error))
    // `value` instead of parsed.data, because --json also prints fields that this version's schema does not
    // contain.
    return value as T
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

  return { send, call }
}

function parseProblem(status: number, text: string): Problem {
  const parsed = apiProblemSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const detail =
    "The response is not the management API's. Check the address: the trigger gateway has another one."
  return { type: "about:blank", title: "Unexpected response", status, detail }
}
