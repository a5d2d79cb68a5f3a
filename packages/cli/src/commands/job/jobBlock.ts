import { type DifferingEvent, type Job, type JobOutcome, mostCounted } from "@sitewire/contracts"
import { progressText } from "@sitewire/contracts/views"
import { block, type Entry } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { localTime } from "../../output/time.ts"
import { exceptionTable } from "./exceptionTable.ts"
import { openTransactionText } from "./openTransactionText.ts"

export function jobBlock(job: Job & { outcome?: JobOutcome | null }, style: Style): string {
  const filter = Object.entries(job.filter).map(([name, value]) => `${name} ${value}`)
  const remains = (job.remains ?? []).map(
    ({ topic, last_deleted_at }): Entry => [`remains in ${topic}`, `until ${localTime(last_deleted_at)}`],
  )
  const described = block(style, [
    ["id", job.id],
    ["kind", job.kind],
    ["state", job.state],
    ["filter", filter.length > 0 ? filter.join(", ") : "all"],
    ["rate", job.per_second === null ? null : `at most ${job.per_second} per second`],
    ["progress", progressText(job) || "none yet"],
    ["outcome", job.outcome ? outcomeText(job.outcome) : null],
    ["reason", job.reason],
    ["requested by", job.requested_by],
    ["created", style.time(job.created_at)],
    ["finished", job.finished_at && style.time(job.finished_at)],
    ...remains,
  ])
  const { exceptions } = job
  if (exceptions === null) return described
  const listed = [...exceptions, ...(job.differing ?? []).map(asException)]
  const open = (job.open_transactions ?? []).map((each) => openTransactionText(each, style))
  const table = listed.length > 0 && exceptionTable(listed, style)
  const parts = [described, table, open.join("\n"), verdictOf(job), unlisted(job)]
  return parts.filter(Boolean).join("\n\n")
}

function unlisted({ counts, exceptions, differing }: Job): string | null {
  const all = (counts.exceptions ?? 0) + (counts.events_differing ?? 0)
  const listed = (exceptions?.length ?? 0) + (differing?.length ?? 0)
  return listed < all ? `Listed are the first ${listed} of these ${all}.` : null
}

/** `delivered 30, dead 5`; `10000+`: as many or more. */
function outcomeText(outcome: JobOutcome): string {
  const parts = Object.entries(outcome)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}${count < mostCounted ? "" : "+"}`)
  return parts.length === 0 ? "none yet" : parts.join(", ")
}

/** What a reconciliation has found. Null: it has not ended. */
function verdictOf({ state, counts }: Job): string | null {
  if (state !== "done") return null
  const { exceptions = 0, events = 0, triggers = 0, events_differing: differing = 0 } = counts
  const unconsumed = (counts.events_unconsumed ?? 0) + (counts.triggers_unconsumed ?? 0)
  const read = `${events} events and ${triggers} triggers`
  const verdict =
    exceptions === 0
      ? `Nothing is lost: all ${read} of the period are accounted for${unconsumed === 0 ? "" : `, of which ${unconsumed} are not consumed yet`}.`
      : `Something may be lost: of ${read} of the period, ${exceptions} are not accounted for.`
  if (differing === 0) return verdict
  return `${verdict} Not delivered, because an event with the same id and other data was: ${differing}.`
}

const asException = (event: DifferingEvent) => ({ ...event, kind: "event_differs", connection: null })
