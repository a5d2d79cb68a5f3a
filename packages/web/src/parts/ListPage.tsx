import type { ReactNode } from "react"
import { Filters } from "./Filters.tsx"
import { PageHead } from "./Page.tsx"
import { type List, PagedTable, type TableProps } from "./Rows.tsx"
import { TimeRange } from "./TimeRange.tsx"

type Period = { created_after?: string | undefined; created_before?: string | undefined }

/** A page with a list, filtered by `filters` and, if it is of what happened, by when it happened. */
export function ListPage<Row>({
  title,
  actions,
  filters,
  period,
  list,
  ...table
}: {
  title: string
  actions?: ReactNode
  filters?: ReactNode
  period?: { filter: Period; change: (period: Period) => void }
  list: List<Row>
  empty: ReactNode
} & Pick<TableProps<Row>, "columns" | "keyOf">) {
  return (
    <>
      <PageHead title={title}>{actions}</PageHead>
      {filters && (
        <Filters>
          {filters}
          {period && (
            <TimeRange
              after={period.filter.created_after}
              before={period.filter.created_before}
              change={({ after, before }) => period.change({ created_after: after, created_before: before })}
            />
          )}
        </Filters>
      )}
      <PagedTable list={list} label={title} {...table} />
    </>
  )
}
