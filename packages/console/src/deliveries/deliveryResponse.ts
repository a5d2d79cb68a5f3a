import {
  type Attempt,
  type AttemptError,
  attemptErrorSchema,
  attemptSchema,
  type Delivery,
  deliverySchema,
} from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import { columnsOf, responseOf } from "../http/responseOf.ts"
import type { AttemptRow } from "./findAttempts.ts"
import { maskEmails } from "./maskEmails.ts"
import type { Waiting } from "./withWaiting.ts"

/** The columns of a response. `body` is omitted because it contains personal data and may be large; its digest would confirm guesses. */
export const deliveryColumns = {
  ...columnsOf(
    deliverySchema.omit({ channel: true, waiting_for: true, next_attempt_at: true, deferred_at: true }),
  ),
  channel_id: true,
} as const

export type DeliveryRow = Prisma.DeliveryGetPayload<{ select: typeof deliveryColumns }> & { waiting: Waiting }

export function deliveryResponse(row: DeliveryRow): Delivery {
  const { waiting } = row
  return responseOf(deliverySchema, {
    ...row,
    channel: row.channel_id,
    last_error: row.last_error === null ? null : errorClass(row.last_error),
    waiting_for: waiting && (waiting.deferred_reason ?? "retry"),
    next_attempt_at: waiting?.next_attempt_at ?? null,
    deferred_at: waiting?.deferred_at ?? null,
    dead_reason: row.state === "dead" && row.dead_reason !== null ? "channel-deleted" : null,
  })
}

export function attemptResponse(row: AttemptRow, shownAddress: (address: string) => string): Attempt {
  return responseOf(attemptSchema, {
    ...row,
    error: row.error === null ? null : errorClass(row.error),
    // A partner's response may repeat the body.
    detail: row.detail === null ? null : maskEmails(row.detail),
    url: row.url && shownAddress(row.url),
    request_headers: row.request_headers === null ? null : parseHeaders(row.request_headers),
    response_excerpt: row.response_excerpt && maskEmails(Buffer.from(row.response_excerpt).toString("utf8")),
  })
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
