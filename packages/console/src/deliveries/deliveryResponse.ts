import {
  type Attempt,
  type AttemptError,
  attemptErrorSchema,
  attemptSchema,
  type Delivery,
  deliverySchema,
  deliveryStateSchema,
  timeSchema,
} from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { Prisma, PrismaQueries } from "@sitewire/database/prisma"
import { z } from "zod"
import { columnsOf, responseOf } from "../http/response.ts"
import { maskEmails } from "./maskEmails.ts"

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

/** Values of the column `state_error`. Undefined: all states, or all errors and none. */
export function statesAndErrors(state?: Delivery["state"], error?: AttemptError): string[] {
  const states = state === undefined ? deliveryStateSchema.options : [state]
  const errors = error === undefined ? ["", ...attemptErrorSchema.options] : [error]
  return states.flatMap((one) => errors.map((other) => `${one}:${other}`))
}

/** What a delivery waits for. Null: for nothing. */
type Waiting = Pick<Prisma.WaitingDeliveryModel, "next_attempt_at" | "deferred_at" | "deferred_reason"> | null

/** Adds to each delivery what it waits for. */
export async function withWaiting<Row extends { id: string }>(
  prisma: PrismaQueries,
  rows: readonly Row[],
): Promise<(Row & { waiting: Waiting })[]> {
  const waiting = await prisma.waitingDelivery.findMany({
    where: { delivery_id: { in: rows.map(({ id }) => id) } },
    select: { delivery_id: true, next_attempt_at: true, deferred_at: true, deferred_reason: true },
  })
  const byId = new Map(waiting.map(({ delivery_id, ...row }) => [delivery_id, row]))
  return rows.map((row) => ({ ...row, waiting: byId.get(row.id) ?? null }))
}

type AttemptRow = Pick<Prisma.AttemptModel, keyof Attempt>

const columns = Object.keys(attemptSchema.shape).join(", ")

/** Resends can make thousands of attempts of one delivery. */
export function attemptsOf(sql: Sql, delivery: string) {
  return {
    key: z.tuple([z.int32(), timeSchema]),
    keyOf: ({ number, started_at }: AttemptRow): AttemptKey => [number, started_at.toISOString()],
    read: (after: AttemptKey | undefined, count: number) =>
      sql<AttemptRow>(
        ...named(
          `select ${columns} from attempt
           where delivery_id = $delivery ${after ? "and (number, started_at) < ($number::int, $started_at::timestamptz)" : ""}
           order by number desc, started_at desc limit $count`,
          { delivery, count, number: after?.[0], started_at: after?.[1] },
        ),
      ),
  }
}

type AttemptKey = [number: number, startedAt: string]
