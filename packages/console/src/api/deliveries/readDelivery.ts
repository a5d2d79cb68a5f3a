import { newestAttempts } from "@sitewire/contracts"
import { manages, nameOf } from "../../auth/caller.ts"
import {
  attemptResponse,
  attemptsOf,
  deliveryColumns,
  deliveryResponse,
  withWaiting,
} from "../../deliveries/deliveryResponse.ts"
import { maskedBody } from "../../deliveries/maskEmails.ts"
import { notFound, problem } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { shownAddress } from "../channels/channelResponse.ts"
import { implement } from "../implement.ts"
import { listPage, readPage } from "../pagination.ts"
import { findDelivery, visibleDelivery } from "./findDelivery.ts"
import { sentHeaders } from "./sentHeaders.ts"

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
    if (row.state === "erased")
      return problem("erased", "The delivery has been erased on request, so there is nothing to show.")
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
