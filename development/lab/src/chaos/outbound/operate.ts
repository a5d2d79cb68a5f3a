import { setTimeout as sleep } from "node:timers/promises"
import { createApiKey } from "@sitewire/console"
import type { Pool, Sql } from "@sitewire/database"
import { openPrisma } from "@sitewire/database/prisma"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { Random } from "../../shared/random.ts"
import type { AcceptedResend } from "./evidence.ts"

type CallConsole = (path: string, body?: unknown) => Promise<{ status: number; body: unknown } | null>

type Operating = {
  call: CallConsole
  sql: Sql
  random: Random
  pickChannel: (random: Random) => string
  isOver: () => boolean
}

/**
 * Returns a function that sends a POST to the management API. It returns null if there was no response: the request may
 * have had its effect or not.
 */
export async function consoleCaller(
  { pool }: { pool: Pool },
  member: SupervisedProcess,
): Promise<CallConsole> {
  const { key } = await createApiKey({
    prisma: openPrisma(pool),
    name: "chaos",
    scopes: ["operate", "personal-data"],
  })
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  return async (path, body) => {
    const { console: origin } = member.addresses()
    if (origin === undefined) return null
    try {
      const signal = AbortSignal.timeout(10_000)
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`${origin}${path}`, { method: "POST", headers, signal, ...sent })
      return { status: response.status, body: await response.json() }
    } catch {
      return null
    }
  }
}

/** Resends single deliveries, and many by jobs. */
export async function resendDeliveries({ call, sql, random, pickChannel, isOver }: Operating) {
  const accepted: AcceptedResend[] = []
  async function resendOne(): Promise<void> {
    const [row] = await sql<{ id: string }>("select id from delivery order by random() limit 1")
    if (!row) return
    const requestedAt = Date.now()
    const response = await call(`/v1/deliveries/${row.id}/resend`, { reason: "chaos" })
    if (response?.status !== 202) return
    accepted.push({ kind: "delivery", delivery: row.id, requestedAt, acceptedAt: Date.now() })
  }
  async function resendMany(): Promise<void> {
    const lately = () => new Date(Date.now() - random.between(1_000, 5_000)).toISOString()
    const filter =
      random.next() < 0.5 ? { channel: pickChannel(random) } : { created_after: lately(), state: "delivered" }
    const response = await call("/v1/jobs/resend", { filter, reason: "chaos", per_second: 200 })
    if (response?.status !== 202) return
    accepted.push({ kind: "job", job: String((response.body as { id?: unknown }).id) })
  }
  while (!isOver()) {
    await sleep(random.between(500, 3_000))
    await (random.next() < 0.5 ? resendOne() : resendMany())
  }
  return accepted
}

/** Begins an erasure of this address, and cancels it. Returns how it ended. */
export async function cancelErasure(
  { call, random }: Pick<Operating, "call" | "random">,
  email: string,
): Promise<string> {
  const created = await call("/v1/jobs/erasure", { email, reason: "chaos" })
  const { id } = (created?.body ?? {}) as { id?: string }
  if (created?.status !== 202 || id === undefined) return `not begun: ${created?.status ?? "no response"}`
  await sleep(random.between(0, 2_000))
  for (;;) {
    const ended = await call(`/v1/jobs/${id}/cancel`, {})
    if (ended?.status === 200) return "cancelled"
    if (ended?.status === 409) return "done before it was cancelled"
    await sleep(200)
  }
}

/** Pauses channels for up to 8 seconds each. Returns how many were paused. */
export async function pauseChannels({ call, random, pickChannel, isOver }: Operating): Promise<number> {
  const resuming: Promise<void>[] = []
  async function resume(channel: string): Promise<void> {
    while ((await call(`/v1/channels/${channel}/resume`))?.status !== 200) await sleep(200)
  }
  let count = 0
  while (!isOver()) {
    await sleep(random.between(500, 2_000))
    const channel = pickChannel(random)
    const lasting = random.between(1_000, 8_000)
    // The channel is resumed even if there was no response, because it may have been paused.
    const response = await call(`/v1/channels/${channel}/pause`)
    if (response?.status === 200) count += 1
    resuming.push(sleep(lasting).then(() => resume(channel)))
  }
  await Promise.all(resuming)
  return count
}
