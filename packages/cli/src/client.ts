import {
  type ChangeChannel,
  channelSchema,
  connectionSchema,
  connectionTriggerUrlSchema,
  type createChannelSchema,
  type createConnectionSchema,
  createdChannelSchema,
  type createErasureJobSchema,
  type createReplayJobSchema,
  type createResendJobSchema,
  deliverySchema,
  deliveryWithAttemptsSchema,
  dryRunSchema,
  invalidEventSchema,
  jobSchema,
  type Problem,
  pageSchema,
  problemSchema,
  resendAcceptedSchema,
  stagedSecretSchema,
  syncSchema,
} from "@sitewire/contracts"
import { z } from "zod"
import { describeNetworkError } from "./describeNetworkError.ts"
import { failed, refused, unreachable } from "./failure.ts"

export type PageQuery = { cursor?: string | undefined; limit?: number | undefined }
export type DeliveryQuery = PageQuery & { channel?: string | undefined; state?: string | undefined }
/** Which secret is meant: where it is another, nothing is done. */
export type SecretQuery = { secret_id?: string | undefined }
export type Client = ReturnType<typeof createClient>

type Request = { method?: "GET" | "POST" | "PATCH"; path: string; query?: object; body?: unknown }

/**
 * The management API, typed. `api` is its address without /v1; `key` its bearer key. Each method checks the answer
 * against its schema and returns it as it came. Rejects with a Failure: `problem` holds what the API refused with,
 * exit code 3 means that it could not be reached within `timeoutMs`.
 */
export function createClient({
  api,
  key,
  timeoutMs = 15_000,
}: {
  api: string
  key: string
  timeoutMs?: number
}) {
  const base = `${api.replace(/\/+$/, "")}/v1/`

  async function send({ method = "GET", path, query = {}, body }: Request): Promise<Response> {
    const url = new URL(path, base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${key}`, Accept: "application/json" }
    if (body !== undefined) headers["Content-Type"] = "application/json"
    const answer = await reach(() =>
      fetch(url, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect would take the key to an address that nobody named.
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      }),
    )
    if (answer.ok) return answer
    throw refused(readProblem(answer.status, await reach(() => answer.text())))
  }

  async function call<T>(schema: z.ZodType<T>, request: Request): Promise<T> {
    const answer = await send(request)
    const text = await reach(() => answer.text())
    const value = parseJson(text)
    const parsed = schema.safeParse(value)
    if (!parsed.success) throw failed(unexpected(parsed.error))
    // As it came: fields that this version does not know must still reach whoever asked for JSON.
    return value as T
  }

  async function reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw unreachable(`The management API at ${api} cannot be reached: ${describeNetworkError(error)}.`)
    }
  }

  function unexpected(error: z.ZodError): string {
    const fields = new Set(error.issues.map((issue) => issue.path.join(".") || "the whole"))
    return (
      `${api} answered something else than the management API does (${[...fields].join(", ")}). ` +
      "Check that the address is right and that both are of one version."
    )
  }

  const channels = pageSchema(channelSchema)
  const connections = pageSchema(connectionSchema)
  const deliveries = pageSchema(deliverySchema)
  const syncs = pageSchema(syncSchema)
  const refusedEvents = pageSchema(invalidEventSchema)
  const jobs = pageSchema(jobSchema)
  const jobOrDryRun = z.union([jobSchema, dryRunSchema])
  const post = { method: "POST" } as const

  return {
    createChannel: (body: z.input<typeof createChannelSchema>) =>
      call(createdChannelSchema, { ...post, path: "channels", body }),
    listChannels: (query: PageQuery = {}) => call(channels, { path: "channels", query }),
    readChannel: (id: string) => call(channelSchema, { path: `channels/${segment(id)}` }),
    changeChannel: (id: string, body: ChangeChannel) =>
      call(channelSchema, { method: "PATCH", path: `channels/${segment(id)}`, body }),
    pauseChannel: (id: string) => call(channelSchema, { ...post, path: `channels/${segment(id)}/pause` }),
    resumeChannel: (id: string) => call(channelSchema, { ...post, path: `channels/${segment(id)}/resume` }),
    stageSecret: (id: string) =>
      call(stagedSecretSchema, { ...post, path: `channels/${segment(id)}/secret/stage` }),
    activateSecret: (id: string, query: SecretQuery = {}) =>
      call(channelSchema, { ...post, path: `channels/${segment(id)}/secret/activate`, query }),
    retireSecret: (id: string, query: SecretQuery = {}) =>
      call(channelSchema, { ...post, path: `channels/${segment(id)}/secret/retire`, query }),
    createConnection: (body: z.input<typeof createConnectionSchema>) =>
      call(connectionTriggerUrlSchema, { ...post, path: "connections", body }),
    listConnections: (query: PageQuery = {}) => call(connections, { path: "connections", query }),
    readConnection: (id: string) => call(connectionSchema, { path: `connections/${segment(id)}` }),
    readConnectionAddress: (id: string) =>
      call(connectionTriggerUrlSchema, { path: `connections/${segment(id)}/trigger-url` }),
    replaceToken: (id: string) =>
      call(connectionTriggerUrlSchema, { ...post, path: `connections/${segment(id)}/token` }),
    listSyncs: (id: string, query: PageQuery = {}) =>
      call(syncs, { path: `connections/${segment(id)}/syncs`, query }),
    /** What the last successful sync fetched, in the type that the source gave it. The body is read by the caller. */
    readSnapshot: (id: string) => send({ path: `connections/${segment(id)}/snapshot` }),
    listDeliveries: (query: DeliveryQuery = {}) => call(deliveries, { path: "deliveries", query }),
    readDelivery: (id: string) => call(deliveryWithAttemptsSchema, { path: `deliveries/${segment(id)}` }),
    resendDelivery: (id: string, body: { reason?: string | undefined } = {}) =>
      call(resendAcceptedSchema, { ...post, path: `deliveries/${segment(id)}/resend`, body }),
    listRefusedEvents: (query: PageQuery = {}) => call(refusedEvents, { path: "invalid-events", query }),
    /** A job, or with `dry_run` what it would do. */
    createResendJob: (body: z.input<typeof createResendJobSchema>) =>
      call(jobOrDryRun, { ...post, path: "jobs/resend", body }),
    createReplayJob: (body: z.input<typeof createReplayJobSchema>) =>
      call(jobOrDryRun, { ...post, path: "jobs/replay", body }),
    createErasureJob: (body: z.input<typeof createErasureJobSchema>) =>
      call(jobOrDryRun, { ...post, path: "jobs/erasure", body }),
    listJobs: (query: PageQuery = {}) => call(jobs, { path: "jobs", query }),
    readJob: (id: string) => call(jobSchema, { path: `jobs/${segment(id)}` }),
    cancelJob: (id: string) => call(jobSchema, { ...post, path: `jobs/${segment(id)}/cancel` }),
  }
}

/** An id as one part of a path: "..", which URL would resolve, reaches no other route. */
function segment(id: string): string {
  return /^\.*$/.test(id) ? "-" : encodeURIComponent(id)
}

function readProblem(status: number, text: string): Problem {
  const parsed = problemSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const detail =
    "The answer is no problem document, so this may not be the management API. Check the address."
  return { type: "about:blank", title: "Unexpected answer", status, detail }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
