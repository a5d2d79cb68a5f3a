import type { Job } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { jobsQuery } from "../../api/queries.ts"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { JobRef } from "../../parts/Ref.tsx"
import { type Column, PagedTable } from "../../parts/Rows.tsx"
import { JobState } from "../../parts/states.tsx"
import { Time } from "../../parts/Time.tsx"
import { jobKindNames, pageNames } from "../../words.ts"
import { describeCounts } from "./counts.ts"
import { Erase } from "./Erase.tsx"

export function Jobs() {
  const list = useInfiniteQuery({ ...jobsQuery(), refetchInterval: 5_000 })
  const { erases } = useAccess()
  return (
    <>
      <PageHead title={pageNames.jobs}>{erases && <Erase />}</PageHead>
      <PagedTable
        list={list}
        label={pageNames.jobs}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No jobs yet">
            A bulk resend, a replay, an erasure or a reconciliation appears here.
          </Empty>
        }
      />
    </>
  )
}

const columns: Column<Job>[] = [
  { title: "Kind", cell: ({ kind }) => jobKindNames[kind] },
  { title: "Job", cell: ({ id }) => <JobRef id={id} />, whole: true },
  { title: "State", cell: ({ state }) => <JobState state={state} /> },
  { title: "Done so far", cell: describeCounts },
  { title: "Reason", cell: ({ reason }) => <span dir="auto">{reason}</span>, minor: true },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} />, minor: true },
]
