import { Button } from "@mantine/core"
import type { ReactNode } from "react"
import { Failed } from "./Failed.tsx"
import { Loading } from "./Loading.tsx"
import { Section } from "./Page.tsx"
import classes from "./Rows.module.css"
import { Scroll } from "./Scroll.tsx"

export type Column<Row> = {
  title: string
  cell: (row: Row) => ReactNode
  /** Not shown on screens of medium width. */
  minor?: boolean
  /** For numbers. */
  end?: boolean
  /** Never in two lines. */
  whole?: boolean
}

export type TableProps<Row> = {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** Default: its id. */
  keyOf?: (row: Row) => string
}

const idOf = (row: unknown) => String((row as { id: unknown }).id)

/** A table. On narrow screens each row is a block. */
export function Table<Row>({ label, rows, columns, keyOf = idOf }: TableProps<Row>) {
  return (
    <Scroll className={classes.scroll}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, minor, end }) => (
              <th key={title} scope="col" data-minor={minor} data-end={end}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, minor, end, whole }) => (
                <td key={title} data-title={title} data-minor={minor} data-end={end} data-whole={whole}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }

/** At the end of a list that has another page. */
export function More({ hasNextPage, isFetchingNextPage, fetchNextPage }: Pages) {
  if (!hasNextPage) return null
  return (
    <div className={classes.more}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        Show more
      </Button>
    </div>
  )
}

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
  empty,
  head,
  ...table
}: Omit<TableProps<Row>, "rows"> & {
  list: List<Row>
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
          <Table rows={rows} {...table} />
          <More {...list} />
        </>
      )}
    </Section>
  )
}
