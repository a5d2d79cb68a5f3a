import type { Job } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { listOf } from "../../api/queries.ts"
import { ListPage } from "../../parts/ListPage.tsx"
import { Empty } from "../../parts/Page.tsx"
import { JobRef } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { JobState } from "../../parts/states.tsx"
import { Time } from "../../parts/Time.tsx"
import { jobKindNames, pageNames } from "../../words.ts"
import { describeCounts } from "./counts.ts"
import { Erase } from "./Erase.tsx"

export function Jobs() {
  const list = useInfiniteQuery({ ...listOf("listJobs", {}), refetchInterval: 5_000 })
  const { erases } = useAccess()
  return (
    <ListPage
      title={pageNames.jobs}
      actions={erases && <Erase />}
      list={list}
      columns={columns}
      empty={
        <Empty title="No jobs yet">
          A bulk resend, a replay, an erasure or a reconciliation appears here.
        </Empty>
      }
    />
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
