import { formatDuration, topicCatalogue } from "@sitewire/contracts"
import { invalidRequest } from "../../http/problems.ts"
import { firstReconcilePosition } from "../../jobs/reconcile/reconcilePosition.ts"
import { implement } from "../implement.ts"
import { startJob } from "./startJob.ts"

export const createReconcileJob = implement("createReconcileJob", async (context, { body, caller }) => {
  const now = Date.now()
  const { created_after, created_before = new Date(now).toISOString(), reason = "not given" } = body
  const why = whyTooOld(now - Date.parse(created_after), context.deliveryRetentionMs)
  if (why !== null)
    return invalidRequest("body", [{ field: "created_after", message: `created_after ${why}` }])
  const filter = {
    created_after,
    created_before: new Date(Math.min(Date.parse(created_before), now)).toISOString(),
  }
  return startJob(context, caller, { kind: "reconcile", filter, reason, position: firstReconcilePosition })
})

/** Null: Kafka and Postgres have all records and deliveries of this age. */
function whyTooOld(ageMs: number, retentionMs: number): string | null {
  if (ageMs > retentionMs) {
    return `must be at most ${formatDuration(retentionMs)} ago, because older deliveries are deleted (RETENTION)`
  }
  if (ageMs > kafkaRetentionMs) {
    return `must be at most ${formatDuration(kafkaRetentionMs)} ago, because Kafka deletes older events and triggers`
  }
  return null
}

const checked = ["site.paid", "connector.triggered"]
const kafkaRetentionMs = Math.min(
  ...topicCatalogue({ prefix: "", retryDelaysMs: [], retryPeriodMs: 0 })
    .filter(({ name }) => checked.includes(name))
    .map(({ retentionMs }) => retentionMs),
)
