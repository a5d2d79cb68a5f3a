import { Button, Progress } from "@mantine/core"
import type {
  DifferingEvent,
  JobWithOutcome,
  ReconciliationException,
  RemainingTopic,
} from "@sitewire/contracts"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { jobQuery } from "../../api/queries.ts"
import { useId } from "../../app/useId.ts"
import { formatNumber } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { PageHead, Rows, Section } from "../../parts/Page.tsx"
import { ConnectionRef, Mono } from "../../parts/Ref.tsx"
import { type Column, Table } from "../../parts/Rows.tsx"
import { JobState } from "../../parts/states.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { doneOf, titleOfList } from "./counts.ts"
import { JobCounts } from "./JobCounts.tsx"
import { Outcome } from "./Outcome.tsx"
import { verdictOf } from "./verdictOf.ts"

const t = texts.job
type Job = JobWithOutcome

export function JobPage() {
  const id = useId()
  const { data, error, refetch } = useQuery(jobQuery(id))
  if (error) return <Failed error={error} retry={refetch} />
  return data ? <Found job={data} /> : <Loading />
}

function Found({ job }: { job: Job }) {
  const { reads, erases } = useAccess()
  const { id, kind, state } = job
  const verdict = verdictOf(job)
  return (
    <>
      <PageHead
        title={t.title(texts.jobs.kinds[kind])}
        above={(reads || erases) && <Link to="/jobs">{texts.pages.jobs}</Link>}
        state={<JobState state={state} />}
      >
        {kind === "erasure" && state === "done" && (
          <Button
            variant="default"
            component="a"
            href={`/v1/jobs/${encodeURIComponent(id)}`}
            download={`erasure-${id}.json`}
          >
            {t.proof}
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
        <Section title={t.facts}>
          <Facts
            facts={[
              [t.id, <Mono key="id">{id}</Mono>],
              ...Object.entries(job.filter).map(([name, value]) => [t.filter(name), String(value)] as const),
              job.per_second !== null && [t.rate, t.perSecond(job.per_second)],
              [t.reason, job.reason],
              [t.requestedBy, job.requested_by],
              [t.created, <Time key="created" at={job.created_at} format="full" />],
              job.finished_at !== null && [
                t.finished,
                <Time key="finished" at={job.finished_at} format="full" />,
              ],
            ]}
          />
        </Section>
        {job.remains && job.remains.length > 0 && (
          <Section title={t.remains} flush>
            <Table
              label={t.remains}
              rows={job.remains}
              columns={remainColumns}
              keyOf={({ topic }) => topic}
            />
          </Section>
        )}
        {job.exceptions && job.exceptions.length > 0 && (
          <Section title={titleOfList(t.exceptions, job.exceptions.length, job.counts.exceptions)} flush>
            <Table label={t.exceptions} rows={job.exceptions} columns={exceptionColumns} keyOf={recordOf} />
          </Section>
        )}
        {job.differing && job.differing.length > 0 && (
          <Section title={titleOfList(t.differing, job.differing.length, job.counts.events_differing)} flush>
            <Table label={t.differing} rows={job.differing} columns={differingColumns} keyOf={recordOf} />
          </Section>
        )}
      </Rows>
    </>
  )
}

function Running({ job: { counts, total } }: { job: Job }) {
  const done = doneOf(counts)
  const percent = total === null ? null : Math.min(100, (100 * done) / Math.max(1, total))
  const text =
    total === null ? t.doneSoFar(formatNumber(done)) : t.of(formatNumber(done), formatNumber(total))
  return (
    <Section title={t.progress}>
      <Progress size="lg" value={percent ?? 100} animated aria-label={t.progress} aria-valuetext={text} />
      <p className="dimmed" role="status">
        {text}
      </p>
    </Section>
  )
}

function Cancel({ job: { id, state, kind } }: { job: Job }) {
  const { operates, erases } = useAccess()
  const client = useQueryClient()
  const mayCancel = kind === "erasure" ? erases : operates
  if (!mayCancel || state !== "running") return null
  return (
    <Action
      label={t.cancel}
      danger
      title={t.cancelTitle(texts.jobs.kinds[kind])}
      run={(post) => post.cancelJob({ id })}
      done={t.cancelled}
      then={() => void client.invalidateQueries({ queryKey: ["jobs"] })}
    >
      {t.cancelMore}
    </Action>
  )
}

const remainColumns: Column<RemainingTopic>[] = [
  { title: t.columns.topic, cell: ({ topic }) => <Mono>{topic}</Mono> },
  { title: t.columns.until, cell: ({ last_deleted_at }) => <Time at={last_deleted_at} format="full" /> },
  { title: t.columns.note, cell: ({ note }) => note },
]

type KafkaRecord = Pick<DifferingEvent, "topic" | "partition" | "offset" | "published_at">

const recordOf = ({ topic, partition, offset }: KafkaRecord) => `${topic} ${partition}/${offset}`

const recordColumn: Column<KafkaRecord> = {
  title: t.columns.record,
  cell: (record) => <Mono>{recordOf(record)}</Mono>,
}

const publishedColumn: Column<KafkaRecord> = {
  title: t.columns.published,
  cell: ({ published_at }) => <Time at={published_at} />,
}

const exceptionColumns: Column<ReconciliationException>[] = [
  { title: t.columns.kind, cell: ({ kind }) => t.exceptionKinds[kind] },
  recordColumn,
  {
    title: t.columns.about,
    cell: ({ event_id, connection }) => (connection ? <ConnectionRef id={connection} /> : (event_id ?? "–")),
  },
  publishedColumn,
]

const differingColumns: Column<DifferingEvent>[] = [
  recordColumn,
  { title: t.columns.about, cell: ({ event_id }) => event_id },
  publishedColumn,
]
