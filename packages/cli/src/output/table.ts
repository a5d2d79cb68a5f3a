import { escapeControls } from "./escapeControls.ts"
import type { Style } from "./style.ts"
import { localTime, shortTime } from "./time.ts"

export type Column<T> = {
  title: string
  cell: (row: T) => string
  /** A shorter text, for a table that is too wide. */
  short?: (row: T, now: Date) => string
  /** The text is never cut, such as an id that commands accept. */
  whole?: true
  align?: "right"
  paint?: (text: string, row: T) => string
}

type Measured<T> = Column<T> & { cells: string[]; width: number }

const separator = "  "
/** Texts of this length say something. A column is not cut to less. */
const leastCutWidth = 10

/** Times with date and offset, or in a table that is too wide, without what is the same today. `none` is in place of null. */
export function timeColumn<T>(title: string, time: (row: T) => string | null, none = ""): Column<T> {
  const written = (row: T, write: (iso: string) => string) => {
    const iso = time(row)
    return iso === null ? none : write(iso)
  }
  return {
    title,
    cell: (row) => written(row, localTime),
    short: (row, now) => written(row, (iso) => shortTime(iso, now)),
    whole: true,
  }
}

/**
 * Aligned columns below their titles. Columns without any text are omitted. In a table that is wider than
 * `style.width`, columns have their short texts; then the last columns are omitted, so the columns must be in the order
 * of their importance; and then the widest texts are cut, and end with "…". A line below says so.
 */
export function table<T>(style: Style, rows: readonly T[], columns: readonly Column<T>[]): string {
  const { shown, note } = fit(style, rows, columns)
  const line = (texts: { text: string; painted: string; width: number; right: boolean }[]) =>
    texts
      .map(({ text, painted, width, right }, index) => {
        const space = " ".repeat(width - widthOf(text))
        if (right) return space + painted
        return index === texts.length - 1 ? painted : painted + space
      })
      .join(separator)

  const titles = line(
    shown.map(({ title, width, align }) => {
      return { text: title, painted: style.paint("dim", title), width, right: align === "right" }
    }),
  )
  const body = rows.map((row, index) =>
    line(
      shown.map(({ cells, width, align, paint }) => {
        const text = cut(cells[index] ?? "", width)
        return { text, painted: paint ? paint(text, row) : text, width, right: align === "right" }
      }),
    ),
  )
  return [titles, ...body, ...note].join("\n")
}

function fit<T>(style: Style, rows: readonly T[], columns: readonly Column<T>[]) {
  const natural = measure(rows, columns, ({ cell }, row) => cell(row))
  const limit = style.width ?? Number.POSITIVE_INFINITY
  if (totalOf(natural) <= limit) return { shown: natural, note: [] }
  const shown = measure(rows, columns, ({ cell, short = cell }, row) => short(row, style.now))
  const omitted: string[] = []
  while (shown.length > 1 && totalOf(shown, leastWidth) > limit) omitted.unshift(shown.pop()?.title ?? "")
  const isCut = totalOf(shown) > limit
  while (totalOf(shown) > limit) {
    const [widest] = shown.filter((one) => one.width > leastWidth(one)).sort((a, b) => b.width - a.width)
    if (!widest) break
    widest.width -= 1
  }
  const names = omitted.filter((title) => title !== "")
  const missing = names.length > 0 ? `Not shown: ${names.join(", ")}. ` : ""
  const isComplete = missing === "" && !isCut
  return { shown, note: isComplete ? [] : [style.paint("dim", cut(`${missing}--wide shows all.`, limit))] }
}

function measure<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  textOf: (column: Column<T>, row: T) => string,
): Measured<T>[] {
  return columns
    .map((column) => ({ ...column, cells: rows.map((row) => escapeControls(textOf(column, row))) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""))
    .map((column) => ({ ...column, width: Math.max(column.title.length, ...column.cells.map(widthOf)) }))
}

function leastWidth({ title, width, whole }: Measured<never>): number {
  return whole ? width : Math.min(width, Math.max(title.length, leastCutWidth))
}

function totalOf(
  columns: readonly Measured<never>[],
  widthIn = ({ width }: Measured<never>) => width,
): number {
  return columns.reduce((sum, column) => sum + widthIn(column) + separator.length, -separator.length)
}

function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${[...text].slice(0, width - 1).join("")}…`
}

function widthOf(text: string): number {
  return [...text].length
}
