import type { JobOutcome, JobWithOutcome } from "@sitewire/contracts"
import { formatCounted, formatNumber } from "../../format.ts"
import { texts } from "../../texts.ts"

const t = texts.job.verdict

type Verdict = { kind: "good" | "warn" | "bad" | "idle"; title: string; more?: string }

/** What came of a job, in a sentence. Null: it is running, which its progress shows. */
export function verdictOf(job: JobWithOutcome): Verdict | null {
  const { kind, state, counts } = job
  if (state === "running") return null
  if (state === "cancelled") return { kind: "idle", title: t.cancelled, more: t.cancelledMore }
  if (kind === "replay") return { kind: "good", title: t.replayed(formatNumber(counts.replayed ?? 0)) }
  if (kind === "erasure")
    return { kind: "good", title: t.erased(formatNumber(counts.deliveries_erased ?? 0)), more: t.erasedMore }
  if (kind === "reconcile") {
    const { exceptions = 0, events = 0, triggers = 0, events_differing: differing = 0 } = counts
    const more = t.reconciledMore(formatNumber(events), formatNumber(triggers))
    if (exceptions > 0) return { kind: "bad", title: t.unaccounted(formatNumber(exceptions)), more }
    const open = job.open_transactions ?? []
    if (open.length > 0) {
      const waiting = open.reduce((sum, { records }) => sum + records, 0)
      const places = open.map((each) => t.blockedAt(each.topic, each.partition, each.first_offset))
      return { kind: "warn", title: t.blocked(formatNumber(waiting)), more: places.join("; ") }
    }
    if (differing > 0) return { kind: "warn", title: t.differing(formatNumber(differing)), more }
    return { kind: "good", title: t.reconciled, more }
  }
  return verdictOfResend(counts.resent ?? 0, job.outcome)
}

function verdictOfResend(resent: number, outcome: JobOutcome | null): Verdict {
  if (outcome && outcome.dead > 0)
    return { kind: "bad", title: t.deadAgain(formatCounted(outcome.dead)), more: t.deadMore }
  if (outcome && outcome.pending > 0)
    return { kind: "warn", title: t.waiting(formatCounted(outcome.pending)), more: t.waitingMore }
  return { kind: "good", title: t.resent(formatNumber(resent)) }
}
