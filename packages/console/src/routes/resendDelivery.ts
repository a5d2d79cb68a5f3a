import { type DeliveryDue, resendAcceptedSchema, resendDeliverySchema } from "@sitewire/contracts"
import { notFound, ok, problem } from "../answer.ts"
import { waitForResend, waitNoLonger } from "../jobs/waitForResend.ts"
import { defineRoute } from "../route.ts"
import { byDeliveryId } from "./byId.ts"
import { insertJob, writeCounts } from "./jobAnswer.ts"

/**
 * Publishes the delivery's next attempt, and writes of its row only that it waits for one. The dispatcher takes an attempt
 * whose number is above the row's and drops any other, so asking twice sends once, and an attempt that is already
 * waiting is overtaken and then dropped. Who asked is written down first, as unconfirmed, and stays so where the broker
 * was not heard: it may have taken the attempt all the same, and nothing is sent that nobody asked for.
 */
export const resendDelivery = defineRoute({
  method: "post",
  path: "/v1/deliveries/{id}/resend",
  operation: "resendDelivery",
  summary: "Send a delivery again now",
  others: { 409: "The delivery was erased." },
  description:
    "In any state but `erased`. The same id and bytes, to the channel's address of now; failures begin a new retry period.",
  params: byDeliveryId,
  body: resendDeliverySchema,
  success: { status: 202, description: "The attempt is on its way.", schema: resendAcceptedSchema },
  async handle({ prisma, sql, publish, resendTopic }, { params: { id }, body, caller }) {
    const row = await prisma.delivery.findUnique({
      where: { id },
      select: { id: true, attempts: true, correlation: true, state: true },
    })
    if (!row) return notFound("delivery", id)
    if (row.state === "erased") {
      return problem(409, "The delivery's body was erased on request: there is nothing left to send.")
    }
    const due: DeliveryDue = {
      delivery: row.id,
      attempt: row.attempts + 1,
      failures: 0,
      since: new Date().toISOString(),
      correlation: row.correlation,
    }
    const reason = body?.reason ?? "not given"
    const filter = { delivery: row.id }
    const done = { unconfirmed: 1 }
    const job = await insertJob(sql, { kind: "resend", filter, reason, requestedBy: caller, done })
    await waitForResend(sql, [row.id])
    const outcome = await publish({ topic: resendTopic, key: row.id, value: JSON.stringify(due) })
    if (outcome.kind === "away") {
      await waitNoLonger(sql, [row.id])
      return problem(
        503,
        `Kafka has not acknowledged the resend, so it is not promised, and may be made all the same: job "${job.id}" ` +
          "keeps that it was asked for. Asking again is safe.",
      )
    }
    await writeCounts(sql, job.id, { resent: 1 })
    return ok({ delivery: row.id, attempt: due.attempt, job: job.id })
  },
})
