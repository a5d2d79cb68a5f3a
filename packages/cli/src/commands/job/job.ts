import {
  type BlockedPartition,
  type DifferingEvent,
  type Job,
  type JobOutcome,
  mostCounted,
  type ReconciliationException,
} from "@sitewire/contracts"
import { fields, jobView, progressText } from "@sitewire/contracts/views"
import type { CommandGroup } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { factsBlock, fieldTable } from "../../derive/viewText.ts"
import type { Entry } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
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

type Shown = Job & { outcome?: JobOutcome | null }

const facts = fields<Shown>(
  "id",
  "kind",
  "state",
  ["filter", { value: ({ filter }) => entries(filter) || "all" }],
  ["rate", { value: ({ per_second: rate }) => rate && `at most ${rate} per second` }],
  ["progress", { value: (job) => progressText(job) || "none yet" }],
  ["outcome", { as: "text", value: ({ outcome }) => outcome && outcomeText(outcome) }],
  ...(["reason", "requested_by", "created_at", "finished_at"] as const),
)

const entries = (of: object) =>
  Object.entries(of)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")

export function jobBlock(job: Shown, style: Style): string {
  const remains = (job.remains ?? []).map(
    ({ topic, last_deleted_at }): Entry => [`remains in ${topic}`, `until ${localTime(last_deleted_at)}`],
  )
  const described = factsBlock(facts, job, style, remains)
  const { exceptions } = job
  if (exceptions === null) return described
  const listed = [...exceptions, ...(job.differing ?? []).map(asException)]
  const open = (job.open_transactions ?? []).map((each) => openTransactionText(each, style))
  const table = listed.length > 0 && fieldTable(exceptionColumns, listed, style)
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

const exceptionColumns = fields<Listed>(
  ["kind", { label: "exception" }],
  ["event_id", { label: "event", as: "id" }],
  ["connection", { as: "id" }],
  ...(["published_at", "topic", "partition", "offset"] as const),
)

function openTransactionText(open: BlockedPartition, style: Style): string {
  const { topic, partition, first_offset, since, records } = open
  const begun = since === null ? "" : `, begun ${style.time(since)}`
  return `A publisher has a transaction open in partition ${partition} of ${topic} from offset ${first_offset} on${begun}. Records that wait for its end: ${records}.`
}
