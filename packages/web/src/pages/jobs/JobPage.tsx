import { Button, Progress } from "@mantine/core"
import type {
  DifferingEvent,
  JobWithOutcome,
  ReconciliationException,
  RemainingTopic,
} from "@sitewire/contracts"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { jobQuery } from "../../api/queries.ts"
import { useId } from "../../app/useId.ts"
import { formatNumber } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { Facts, Figures } from "../../parts/Facts.tsx"
import { Loaded } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { PageHead, Rows, Section } from "../../parts/Page.tsx"
import { ConnectionRef, Mono } from "../../parts/Ref.tsx"
import { type Column, Table, type TableProps } from "../../parts/Rows.tsx"
import { JobState } from "../../parts/states.tsx"
import { Time } from "../../parts/Time.tsx"
import { jobKindNames, pageNames } from "../../words.ts"
import { doneOf, groupCounts, titleOfList } from "./counts.ts"
import { Outcome } from "./Outcome.tsx"
import { verdictOf } from "./verdictOf.ts"

const exceptionKinds = {
  event_lost: "Event lost",
  trigger_not_synced: "Trigger without a sync",
  sync_not_scheduled: "Sync is not scheduled",
  sync_overdue: "Sync is overdue",
} as const

type Job = JobWithOutcome

export function JobPage() {
  const id = useId()
  return <Loaded of={useQuery(jobQuery(id))}>{(job) => <JobFound job={job} />}</Loaded>
}

function JobFound({ job }: { job: Job }) {
  const { reads, erases } = useAccess()
  const { id, kind, state } = job
  const verdict = verdictOf(job)
  return (
    <>
      <PageHead
        title={`${jobKindNames[kind]} job`}
        above={(reads || erases) && <Link to="/jobs">{pageNames.jobs}</Link>}
        state={<JobState state={state} />}
      >
        {kind === "erasure" && state === "done" && (
          <Button
            variant="default"
            component="a"
            href={`/v1/jobs/${encodeURIComponent(id)}`}
            download={`erasure-${id}.json`}
          >
            Download the proof
          </Button>
        )}
        <Cancel job={job} />
      </PageHead>
      <Rows>
        {state === "running" && <Running job={job} />}
        {verdict && (
          <Notice kind={verdict.kind} title={verdict.title}>
            {verdict.more}
          </Notice>
        )}
        {job.outcome && <Outcome job={job.id} outcome={job.outcome} />}
        <JobCounts job={job} />
        <Section title="Job">
          <Facts
            facts={[
              ["Id", <Mono key="id">{id}</Mono>],
              ...Object.entries(job.filter).map(
                ([name, value]) => [`Filter: ${name.replaceAll("_", " ")}`, String(value)] as const,
              ),
              job.per_second !== null && ["Rate", `at most ${job.per_second} per second`],
              ["Reason", job.reason],
              ["Requested by", job.requested_by],
              ["Created", <Time key="created" at={job.created_at} format="full" />],
              job.finished_at !== null && [
                "Finished",
                <Time key="finished" at={job.finished_at} format="full" />,
              ],
            ]}
          />
        </Section>
        <Found
          title="What could not be erased"
          rows={job.remains}
          columns={remainColumns}
          keyOf={({ topic }) => topic}
        />
        <Found
          title="Records that are not accounted for"
          rows={job.exceptions}
          all={job.counts.exceptions}
          columns={exceptionColumns}
          keyOf={recordOf}
        />
        <Found
          title="Events that are not delivered, because another event had their id"
          rows={job.differing}
          all={job.counts.events_differing}
          columns={differingColumns}
          keyOf={recordOf}
        />
      </Rows>
    </>
  )
}

/** What a job has found. `all`: how many, of which it lists the first. */
function Found<Row>({
  title,
  rows,
  all,
  ...table
}: Pick<TableProps<Row>, "columns" | "keyOf"> & {
  title: string
  rows: readonly Row[] | null
  all?: number | undefined
}) {
  if (rows === null || rows.length === 0) return null
  return (
    <Section title={titleOfList(title, rows.length, all)} flush>
      <Table label={title} rows={rows} {...table} />
    </Section>
  )
}

function Running({ job: { counts, total } }: { job: Job }) {
  const done = doneOf(counts)
  const percent = total === null ? null : Math.min(100, (100 * done) / Math.max(1, total))
  const text =
    total === null ? `${formatNumber(done)} so far` : `${formatNumber(done)} of ${formatNumber(total)}`
  return (
    <Section title="Progress">
      <Progress size="lg" value={percent ?? 100} animated aria-label="Progress" aria-valuetext={text} />
      <p className="dimmed" role="status">
        {text}
      </p>
    </Section>
  )
}

function Cancel({ job: { id, state, kind } }: { job: Job }) {
  const { operates, erases } = useAccess()
  const mayCancel = kind === "erasure" ? erases : operates
  if (!mayCancel || state !== "running") return null
  return (
    <Action
      label="Cancel job"
      danger
      title={`Cancel this ${jobKindNames[kind].toLowerCase()}?`}
      run={(post) => post.cancelJob({ id })}
      done="The job is cancelled"
    >
      It does nothing more. What it has done is not undone.
    </Action>
  )
}

const remainColumns: Column<RemainingTopic>[] = [
  { title: "Topic", cell: ({ topic }) => <Mono>{topic}</Mono> },
  { title: "Deleted by Kafka", cell: ({ last_deleted_at }) => <Time at={last_deleted_at} format="full" /> },
  { title: "Note", cell: ({ note }) => note },
]

type KafkaRecord = Pick<DifferingEvent, "topic" | "partition" | "offset" | "published_at">

const recordOf = ({ topic, partition, offset }: KafkaRecord) => `${topic} ${partition}/${offset}`

const recordColumn: Column<KafkaRecord> = {
  title: "Record",
  cell: (record) => <Mono>{recordOf(record)}</Mono>,
}

const publishedColumn: Column<KafkaRecord> = {
  title: "Published",
  cell: ({ published_at }) => <Time at={published_at} />,
}

const exceptionColumns: Column<ReconciliationException>[] = [
  { title: "Kind", cell: ({ kind }) => exceptionKinds[kind] },
  recordColumn,
  {
    title: "About",
    cell: ({ event_id, connection }) => (connection ? <ConnectionRef id={connection} /> : (event_id ?? "–")),
  },
  publishedColumn,
]

const differingColumns: Column<DifferingEvent>[] = [
  recordColumn,
  { title: "About", cell: ({ event_id }) => event_id },
  publishedColumn,
]

/** What a job has done, in groups with plain names. */
function JobCounts({ job }: { job: Pick<Job, "kind" | "counts"> }) {
  const shown = groupCounts(job)
  if (shown.length === 0) return <Section title="What it has done">Nothing yet.</Section>
  return shown.map(({ title, figures }) => (
    <Section key={title} title={`What it has done: ${title}`}>
      <Figures figures={figures.map(([name, count]) => [name, formatNumber(count)] as const)} />
    </Section>
  ))
}
