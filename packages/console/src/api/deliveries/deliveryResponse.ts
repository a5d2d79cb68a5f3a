import {
  type AttemptError,
  attemptErrorSchema,
  type Delivery,
  type DeliveryWithAttempts,
} from "@sitewire/contracts"
import { maskEmails } from "./maskEmails.ts"
import type { Waiting } from "./withWaiting.ts"

/** The columns of a response. `body` is omitted because it contains personal data and may be large. */
export const deliveryColumns = {
  id: true,
  eventId: true,
  channelId: true,
  state: true,
  attempts: true,
  bodySha256: true,
  createdAt: true,
  finishedAt: true,
  lastError: true,
  lastStatus: true,
  deadReason: true,
} as const

export type DeliveryRow = {
  id: string
  eventId: string
  channelId: string
  state: Delivery["state"]
  attempts: number
  waiting: Waiting
  bodySha256: Uint8Array
  createdAt: Date
  finishedAt: Date | null
  lastError: string | null
  lastStatus: number | null
  deadReason: "channel_deleted" | null
}

export function deliveryResponse(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    event_id: row.eventId,
    channel: row.channelId,
    state: row.state,
    attempts: row.attempts,
    last_error: row.lastError === null ? null : errorClass(row.lastError),
    last_status: row.lastStatus,
    waiting_for: waitingFor(row),
    next_attempt_at: row.waiting?.nextAttemptAt?.toISOString() ?? null,
    deferred_at: row.waiting?.deferredAt?.toISOString() ?? null,
    body_sha256: Buffer.from(row.bodySha256).toString("hex"),
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
    dead_reason: row.state === "dead" && row.deadReason !== null ? "channel-deleted" : null,
  }
}

function waitingFor({ waiting }: DeliveryRow): Delivery["waiting_for"] {
  return waiting && (waiting.deferredReason ?? "retry")
}

type AttemptRow = {
  number: number
  startedAt: Date
  durationMs: number
  lookupMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
  status: number | null
  error: string | null
  detail: string | null
  ip: string | null
  url: string | null
  requestHeaders: string | null
  secretId: string
  responseExcerpt: Uint8Array | null
}

export function attemptResponse(row: AttemptRow): DeliveryWithAttempts["attempt_log"][number] {
  return {
    number: row.number,
    started_at: row.startedAt.toISOString(),
    duration_ms: row.durationMs,
    lookup_ms: row.lookupMs,
    connect_ms: row.connectMs,
    tls_ms: row.tlsMs,
    first_byte_ms: row.firstByteMs,
    status: row.status,
    error: row.error === null ? null : errorClass(row.error),
    // A partner's response may repeat the body.
    detail: row.detail === null ? null : maskEmails(row.detail),
    url: row.url,
    ip: row.ip,
    request_headers: row.requestHeaders === null ? null : parseHeaders(row.requestHeaders),
    secret_id: row.secretId,
    response_excerpt: row.responseExcerpt && maskEmails(Buffer.from(row.responseExcerpt).toString("utf8")),
  }
}

function parseHeaders(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const colon = line.indexOf(": ")
        return [line.slice(0, colon), line.slice(colon + 2)]
      }),
  )
}

/**
 * Replaces an unknown class of error by "protocol", because a newer dispatcher may store classes that this
 * console's schema does not allow.
 */
export function errorClass(error: string): AttemptError {
  const known = attemptErrorSchema.safeParse(error)
  return known.success ? known.data : "protocol"
}
