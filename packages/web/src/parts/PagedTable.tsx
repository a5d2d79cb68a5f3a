import type { ReactNode } from "react"
import { Failed } from "./Failed.tsx"
import { Loading } from "./Loading.tsx"
import { Section } from "./Page.tsx"
import { type Column, More, type Pages, Table } from "./Rows.tsx"

/** An infinite query of a list of the API. */
export type List<Row> = Pages & {
  data?: { pages: readonly { data: readonly Row[] }[] } | undefined
  error: unknown
  refetch: () => unknown
}

export function rowsOf<Row>({ data }: Pick<List<Row>, "data">): Row[] {
  return data?.pages.flatMap((page) => page.data) ?? []
}

/** A list of the API, page by page, or why it cannot be shown. */
export function PagedTable<Row>({
  list,
  label,
  columns,
  keyOf,
  empty,
  head,
}: {
  list: List<Row>
  label: string
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
  /** Shown instead of an empty table. */
  empty: ReactNode
  /** Of a page with more than this list. */
  head?: { title: string; aside: ReactNode }
}) {
  const rows = rowsOf(list)
  return (
    <Section {...head} flush>
      {list.error ? (
        <Failed error={list.error} retry={list.refetch} />
      ) : !list.data ? (
        <Loading />
      ) : rows.length === 0 ? (
        empty
      ) : (
        <>
          <Table label={label} rows={rows} columns={columns} keyOf={keyOf} />
          <More {...list} />
        </>
      )}
    </Section>
  )
}
