import { newestAttempts } from "@sitewire/contracts"
import { nameOf } from "../../auth/caller.ts"
import { attemptResponse, deliveryColumns, deliveryResponse } from "../../deliveries/deliveryResponse.ts"
import { attemptsOf } from "../../deliveries/findAttempts.ts"
import { maskedBody } from "../../deliveries/maskEmails.ts"
import { withWaiting } from "../../deliveries/withWaiting.ts"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { shownAddress } from "../channels/channelResponse.ts"
import { implement } from "../implement.ts"
import { readPage } from "../pagination.ts"
import { visibleDelivery } from "./findDelivery.ts"

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
