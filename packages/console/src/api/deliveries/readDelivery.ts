import { newestAttempts } from "@sitewire/contracts"
import { type SealingKeys, sealContexts, unseal } from "@sitewire/database"
import { sign, standardWebhooksHeaders } from "@sitewire/signing/sender"
import { manages, nameOf } from "../../auth/caller.ts"
import {
  attemptResponse,
  attemptsOf,
  deliveryColumns,
  deliveryResponse,
  parseHeaders,
  withWaiting,
} from "../../deliveries/deliveryResponse.ts"
import { maskedBody } from "../../deliveries/maskEmails.ts"
import { notFound, problem } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { shownAddress } from "../channels/channelResponse.ts"
import { type ApiContext, implement } from "../implement.ts"
import { listPage, readPage } from "../pagination.ts"
import { findDelivery, visibleDelivery } from "./findDelivery.ts"

const jobColumns = { id: true, kind: true, created_at: true, requested_by: true } as const

export const readDelivery = implement("readDelivery", async ({ prisma, sql }, { params: { id }, caller }) => {
  const where = visibleDelivery(id, caller)
  const found = await prisma.delivery.findMany({
    where,
    select: { ...deliveryColumns, body: true, last_job: true },
  })
  const [row] = await withWaiting(prisma, found)
  if (!row) return notFound("delivery", id)
  const job = await prisma.job.findUnique({ where: { id: found[0]?.last_job ?? "" }, select: jobColumns })
  const shown = shownAddress(row.channel_id, caller)
  const attempts = await readPage({ limit: newestAttempts }, attemptsOf(sql, id))
  if (attempts.kind === "problem") return attempts
  return ok({
    ...deliveryResponse(row),
    body: maskedBody(row.body),
    body_bytes: Math.ceil(row.body.length / 64) * 64,
    attempt_log: attempts.rows.map((attempt) => attemptResponse(attempt, shown)).toReversed(),
    attempt_log_cursor: attempts.next_cursor,
    last_job: job && {
      id: job.id,
      kind: job.kind === "erasure" ? ("erasure" as const) : ("resend" as const),
      requested_at: job.created_at.toISOString(),
      // A partner need not know the names of operators' keys, and may read its own job.
      requested_by:
        caller.channels === "all" || job.requested_by === nameOf(caller) ? job.requested_by : null,
    },
  })
})

export const listAttempts = implement(
  "listAttempts",
  async ({ prisma, sql }, { params: { id }, query, caller }) => {
    const delivery = await findDelivery(prisma, id, caller)
    if (!delivery) return notFound("delivery", id)
    const shown = shownAddress(delivery.channel_id, caller)
    return listPage(query, attemptsOf(sql, id), (rows) =>
      rows.map((attempt) => attemptResponse(attempt, shown)),
    )
  },
)

/** A GET, because the response to a POST with an Idempotency-Key is stored, and would outlive an erasure. */
export const revealDelivery = implement(
  "revealDelivery",
  async ({ prisma, sealingKeys }, { params: { id }, caller }) => {
    const row = await prisma.delivery.findFirst({
      where: visibleDelivery(id, caller),
      select: { id: true, channel_id: true, state: true, body: true, body_sha256: true },
    })
    if (!row) return notFound("delivery", id)
    if (row.state === "erased") return problem("erased")
    const body = Buffer.from(row.body).toString("utf8")
    const body_sha256 = Buffer.from(row.body_sha256).toString("hex")
    // Whoever may reveal personal data only must not be able to send the request again.
    const mayResend = manages(caller, `channel:${row.channel_id}`)
    const request_headers = mayResend ? await sentHeaders({ prisma, sealingKeys }, row) : null
    return ok(
      { delivery: id, body, body_sha256, request_headers },
      { audit: { target: { kind: "delivery", id } } },
    )
  },
)

type Delivery = { id: string; channel_id: string; body: Uint8Array }

/**
 * The headers of a delivery's newest attempt with whole signatures. Stored signatures are shortened, so they are made again by the
 * channel's secrets: those that begin as the stored ones were sent. Null if no attempt has ended, or if the secret that signed it
 * has been retired or cannot be decrypted. Without the channel's own request headers, whose values nobody may read.
 */
async function sentHeaders(
  { prisma, sealingKeys }: Pick<ApiContext, "prisma" | "sealingKeys">,
  delivery: Delivery,
): Promise<Record<string, string> | null> {
  const attempt = await prisma.attempt.findFirst({
    where: { delivery_id: delivery.id },
    orderBy: [{ number: "desc" }, { started_at: "desc" }],
    select: { request_headers: true },
  })
  if (!attempt?.request_headers) return null
  const shown = parseHeaders(attempt.request_headers)
  const signatures = signaturesOf(delivery, shown, await secretsOf(prisma, sealingKeys, delivery.channel_id))
  const whole = Object.entries(shown)
    .filter(([, value]) => value !== "…")
    .map(([name, value]) => [name, complete(value, signatures)] as const)
  return whole.some(([, value]) => value.includes("…")) ? null : Object.fromEntries(whole)
}

/** Replaces each shortened signature by the one that begins so, if there is one. */
function complete(value: string, signatures: readonly string[]): string {
  return value.replace(
    /(\S+)…/g,
    (shortened, start) => signatures.find((one) => one.startsWith(start)) ?? shortened,
  )
}

function signaturesOf(
  { body }: Delivery,
  shown: Record<string, string>,
  secrets: readonly string[],
): string[] {
  const { "webhook-id": id, "webhook-timestamp": timestamp } = shown
  return secrets.flatMap((secret) => {
    const own = sign(body, secret)
    if (id === undefined || timestamp === undefined) return [own]
    const standard = standardWebhooksHeaders({ id, timestamp: Number(timestamp), body, secrets: [secret] })
    return [own, standard["webhook-signature"]]
  })
}

async function secretsOf(
  prisma: ApiContext["prisma"],
  sealingKeys: SealingKeys,
  channel_id: string,
): Promise<string[]> {
  const channel = await prisma.channel.findUnique({
    where: { id: channel_id },
    select: { secret_id: true, secret_sealed: true, other_secret_id: true, other_secret_sealed: true },
  })
  if (!channel) return []
  const { secret_id, secret_sealed, other_secret_id, other_secret_sealed } = channel
  const open = (id: string, sealed: Uint8Array) =>
    tryUnseal(sealingKeys, sealContexts.signingSecret(channel_id, id), sealed)
  const other = other_secret_id && other_secret_sealed ? open(other_secret_id, other_secret_sealed) : null
  return [open(secret_id, secret_sealed), other].filter((secret) => secret !== null)
}

/** Null if the key that sealed the value is missing. */
function tryUnseal(sealingKeys: SealingKeys, context: string, sealed: Uint8Array): string | null {
  try {
    return unseal(sealingKeys, context, sealed)
  } catch {
    return null
  }
}
