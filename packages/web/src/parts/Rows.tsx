import { Button } from "@mantine/core"
import type { ReactNode } from "react"
import { texts } from "../texts.ts"
import classes from "./Rows.module.css"

export type Column<Row> = {
  title: string
  cell: (row: Row) => ReactNode
  /** Not shown on narrow screens. */
  minor?: boolean
  /** For numbers. */
  end?: boolean
}

/** A table. On narrow screens its minor columns are hidden. */
export function Table<Row>({
  label,
  rows,
  columns,
  keyOf,
}: {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={classes.scroll} aria-label={label} tabIndex={0}>
      <table className={classes.table}>
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
              {columns.map(({ title, cell, minor, end }) => (
                <td key={title} data-minor={minor} data-end={end}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }

/** At the end of a list that has another page. */
export function More({ hasNextPage, isFetchingNextPage, fetchNextPage }: Pages) {
  if (!hasNextPage) return null
  return (
    <div className={classes.more}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {texts.common.more}
      </Button>
    </div>
  )
}
