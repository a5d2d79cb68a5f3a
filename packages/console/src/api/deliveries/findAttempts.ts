import { timeSchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { z } from "zod"

export type AttemptRow = {
  number: number
  started_at: Date
  duration_ms: number
  lookup_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
  status: number | null
  error: string | null
  detail: string | null
  ip: string | null
  url: string | null
  request_headers: string | null
  secret_id: string
  response_excerpt: Uint8Array | null
}

/** Resends can make thousands of attempts of one delivery. */
export function attemptsOf(sql: Sql, delivery: string) {
  return {
    key: z.tuple([z.int32(), timeSchema]),
    keyOf: ({ number, started_at }: AttemptRow): AttemptKey => [number, started_at.toISOString()],
    read: (after: AttemptKey | undefined, count: number) =>
      sql<AttemptRow>(
        `select number, started_at, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms, status, error, detail, ip,
           url, request_headers, secret_id, response_excerpt
         from attempt
         where delivery_id = $1 ${after ? "and (number, started_at) < ($3::int, $4::timestamptz)" : ""}
         order by number desc, started_at desc limit $2`,
        [delivery, count, ...(after ?? [])],
      ),
  }
}

type AttemptKey = [number: number, startedAt: string]
