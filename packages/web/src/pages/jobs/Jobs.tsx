import type { Job } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { jobsQuery } from "../../api/queries.ts"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { JobRef } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { JobState } from "../../parts/states.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { describeCounts } from "./counts.ts"
import { Erase } from "./Erase.tsx"

const t = texts.jobs

export function Jobs() {
  const list = useInfiniteQuery({ ...jobsQuery(), refetchInterval: 5_000 })
  const { erases } = useAccess()
  return (
    <>
      <PageHead title={texts.pages.jobs}>{erases && <Erase />}</PageHead>
      <PagedTable
        list={list}
        label={texts.pages.jobs}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title={t.none}>{t.noneMore}</Empty>}
      />
    </>
  )
}

const columns: Column<Job>[] = [
  { title: t.columns.kind, cell: ({ kind }) => t.kinds[kind] },
  { title: t.columns.id, cell: ({ id }) => <JobRef id={id} />, whole: true },
  { title: t.columns.state, cell: ({ state }) => <JobState state={state} /> },
  { title: t.columns.counts, cell: describeCounts },
  { title: t.columns.reason, cell: ({ reason }) => <span dir="auto">{reason}</span>, minor: true },
  { title: t.columns.created, cell: ({ created_at }) => <Time at={created_at} />, minor: true },
]
