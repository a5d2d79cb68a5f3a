import { setTimeout as sleep } from "node:timers/promises"
import type { Sql } from "@sitewire/database"
import type { Random } from "../../random.ts"
import { pickChannel } from "../channels.ts"
import type { CallConsole } from "./callConsole.ts"

/**
 * A resend that the console accepted (202). It is either of one delivery, which the console deferred between
 * `requestedAt` and `acceptedAt`, or a job that resends many.
 */
export type AcceptedResend =
  | { kind: "delivery"; delivery: string; requestedAt: number; acceptedAt: number }
  | { kind: "job"; job: string }

export async function resendDeliveries(settings: {
  call: CallConsole
  sql: Sql
  random: Random
  everyMs: [number, number]
  isOver: () => boolean
}): Promise<AcceptedResend[]> {
  const { call, sql, random, everyMs, isOver } = settings
  const accepted: AcceptedResend[] = []

  async function resendOne(): Promise<void> {
    const [row] = await sql<{ id: string }>("select id from delivery order by random() limit 1")
    if (!row) return
    const requestedAt = Date.now()
    const response = await call(`/v1/deliveries/${row.id}/resend`, { reason: "chaos" })
    if (response?.status === 202)
      accepted.push({ kind: "delivery", delivery: row.id, requestedAt, acceptedAt: Date.now() })
  }

  async function resendMany(): Promise<void> {
    const lately = () => new Date(Date.now() - random.between(1_000, 5_000)).toISOString()
    const filter =
      random.next() < 0.5 ? { channel: pickChannel(random) } : { created_after: lately(), state: "delivered" }
    const response = await call("/v1/jobs/resend", { filter, reason: "chaos", per_second: 200 })
    if (response?.status === 202)
      accepted.push({ kind: "job", job: String((response.body as { id?: unknown }).id) })
  }

  while (!isOver()) {
    await sleep(random.between(...everyMs))
    if (random.next() < 0.5) await resendOne()
    else await resendMany()
  }
  return accepted
}
