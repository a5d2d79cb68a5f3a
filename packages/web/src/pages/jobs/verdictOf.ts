import type { JobOutcome, JobWithOutcome } from "@sitewire/contracts"
import { formatCounted, formatNumber } from "../../format.ts"

type Verdict = { kind: "good" | "warn" | "bad" | "idle"; title: string; more?: string }

/** What came of a job, in a sentence. Null: it is running, which its progress shows. */
export function verdictOf(job: JobWithOutcome): Verdict | null {
  const { kind, state, counts } = job
  if (state === "running") return null
  if (state === "cancelled")
    return { kind: "idle", title: "It was cancelled", more: "What it had done until then is not undone." }
  if (kind === "replay")
    return { kind: "good", title: `Events published again: ${formatNumber(counts.replayed ?? 0)}` }
  if (kind === "erasure")
    return {
      kind: "good",
      title: `The data is erased. Deliveries erased: ${formatNumber(counts.deliveries_erased ?? 0)}`,
      more: "This job is the proof. What could not be erased is listed below.",
    }
  if (kind === "reconcile") {
    const { exceptions = 0, events = 0, triggers = 0, events_differing: differing = 0 } = counts
    const more = `Read: ${formatNumber(events)} events and ${formatNumber(triggers)} triggers.`
    if (exceptions > 0)
      return { kind: "bad", title: `Records that are not accounted for: ${formatNumber(exceptions)}`, more }
    const open = job.open_transactions ?? []
    if (open.length > 0) {
      const waiting = open.reduce((sum, { records }) => sum + records, 0)
      const places = open.map(
        (each) => `${each.topic}, partition ${each.partition}, from offset ${each.first_offset} on`,
      )
      return {
        kind: "warn",
        title: `Records that wait for the end of a publisher's transaction: ${formatNumber(waiting)}`,
        more: places.join("; "),
      }
    }
    if (differing > 0)
      return {
        kind: "warn",
        title: `Events not delivered, because another event had their id: ${formatNumber(differing)}`,
        more,
      }
    return { kind: "good", title: "Nothing is lost: all records are accounted for", more }
  }
  return verdictOfResend(counts.resent ?? 0, job.outcome)
}

function verdictOfResend(resent: number, outcome: JobOutcome | null): Verdict {
  if (outcome && outcome.dead > 0)
    return {
      kind: "bad",
      title: `Dead again: ${formatCounted(outcome.dead)}`,
      more: "Their receivers did not accept them. Correct the receivers before you resend them.",
    }
  if (outcome && outcome.pending > 0)
    return {
      kind: "warn",
      title: `Still waiting to be accepted: ${formatCounted(outcome.pending)}`,
      more: "Each is sent as soon as its channel has capacity.",
    }
  return { kind: "good", title: `All are sent again: ${formatNumber(resent)}` }
}
