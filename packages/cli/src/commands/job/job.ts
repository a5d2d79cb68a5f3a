import {
  type BlockedPartition,
  type DifferingEvent,
  type Job,
  type JobOutcome,
  mostCounted,
  type ReconciliationException,
} from "@sitewire/contracts"
import { jobView, progressText } from "@sitewire/contracts/views"
import type { CommandGroup } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { block, type Entry } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { table, timeColumn } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"

export const job: CommandGroup = {
  name: "job",
  description: "jobs: resends, replays, erasures and reconciliations",
  commands: [
    call("job list", "listJobs", {
      description: "list the resends, replays, erasures and reconciliations, newest first",
      examples: ["sitewire job list", "sitewire job list --limit 5 --json"],
      none: "No jobs.",
      print: jobView,
    }),
    call("job show", "readJob", {
      description: "show a job and what became of its deliveries; of an erasure with --json, the proof",
      examples: ["sitewire job show job_8c1f0e", "sitewire job show job_8c1f0e --json"],
      print: jobBlock,
    }),
    call("job cancel", "cancelJob", {
      description:
        "stop a job; nothing is undone, and deliveries that a resend has already deferred are sent",
      print: jobBlock,
    }),
  ],
}

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

type Listed = Omit<ReconciliationException, "kind"> & { kind: string }

function exceptionTable(exceptions: readonly Listed[], style: Style): string {
  return table(style, exceptions, [
    { title: "EXCEPTION", cell: ({ kind }) => kind },
    { title: "EVENT", cell: ({ event_id }) => event_id ?? "", whole: true },
    { title: "CONNECTION", cell: ({ connection }) => connection ?? "", whole: true },
    timeColumn("PUBLISHED", ({ published_at }) => published_at),
    { title: "TOPIC", cell: ({ topic }) => topic },
    { title: "PARTITION", cell: ({ partition }) => String(partition), align: "right" },
    { title: "OFFSET", cell: ({ offset }) => offset, align: "right" },
  ])
}

function openTransactionText(open: BlockedPartition, style: Style): string {
  const { topic, partition, first_offset, since, records } = open
  const begun = since === null ? "" : `, begun ${style.time(since)}`
  return `A publisher has a transaction open in partition ${partition} of ${topic} from offset ${first_offset} on${begun}. Records that wait for its end: ${records}.`
}
