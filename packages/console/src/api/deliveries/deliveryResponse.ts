import { type Attempt, type AttemptError, attemptErrorSchema, type Delivery } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import type { AttemptRow } from "./findAttempts.ts"
import { maskEmails } from "./maskEmails.ts"
import type { Waiting } from "./withWaiting.ts"

/** The columns of a response. `body` is omitted because it contains personal data and may be large; its digest would confirm guesses. */
export const deliveryColumns = {
  id: true,
  event_id: true,
  channel_id: true,
  state: true,
  attempts: true,
  created_at: true,
  finished_at: true,
  last_error: true,
  last_status: true,
  dead_reason: true,
} as const

export type DeliveryRow = Prisma.DeliveryGetPayload<{ select: typeof deliveryColumns }> & { waiting: Waiting }

export function deliveryResponse(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    event_id: row.event_id,
    channel: row.channel_id,
    state: row.state,
    attempts: row.attempts,
    last_error: row.last_error === null ? null : errorClass(row.last_error),
    last_status: row.last_status,
    waiting_for: waitingFor(row),
    next_attempt_at: row.waiting?.next_attempt_at?.toISOString() ?? null,
    deferred_at: row.waiting?.deferred_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    dead_reason: row.state === "dead" && row.dead_reason !== null ? "channel-deleted" : null,
  }
}

function waitingFor({ waiting }: DeliveryRow): Delivery["waiting_for"] {
  return waiting && (waiting.deferred_reason ?? "retry")
}

export function attemptResponse(row: AttemptRow, shownAddress: (address: string) => string): Attempt {
  return {
    number: row.number,
    started_at: row.started_at.toISOString(),
    duration_ms: row.duration_ms,
    lookup_ms: row.lookup_ms,
    connect_ms: row.connect_ms,
    tls_ms: row.tls_ms,
    first_byte_ms: row.first_byte_ms,
    status: row.status,
    error: row.error === null ? null : errorClass(row.error),
    // A partner's response may repeat the body.
    detail: row.detail === null ? null : maskEmails(row.detail),
    url: row.url && shownAddress(row.url),
    ip: row.ip,
    request_headers: row.request_headers === null ? null : parseHeaders(row.request_headers),
    secret_id: row.secret_id,
    response_excerpt: row.response_excerpt && maskEmails(Buffer.from(row.response_excerpt).toString("utf8")),
  }
}

/** Stored headers, one a line. */
export function parseHeaders(lines: string): Record<string, string> {
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
