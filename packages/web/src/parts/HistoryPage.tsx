import type { ReactNode } from "react"
import { Filters } from "./Filters.tsx"
import { PageHead } from "./Page.tsx"
import { type Column, type List, PagedTable } from "./Rows.tsx"
import { TimeRange } from "./TimeRange.tsx"

type Period = { created_after?: string | undefined; created_before?: string | undefined }

/** A page with a list of what happened, filtered by `children`, and by when it happened. */
export function HistoryPage<Row extends { id: string }>({
  title,
  children,
  filter,
  change,
  list,
  columns,
  empty,
}: {
  title: string
  children: ReactNode
  filter: Period
  change: (period: Period) => void
  list: List<Row>
  columns: readonly Column<Row>[]
  empty: ReactNode
}) {
  return (
    <>
      <PageHead title={title} />
      <Filters>
        {children}
        <TimeRange
          after={filter.created_after}
          before={filter.created_before}
          change={({ after, before }) => change({ created_after: after, created_before: before })}
        />
      </Filters>
      <PagedTable list={list} label={title} columns={columns} keyOf={({ id }) => id} empty={empty} />
    </>
  )
}
