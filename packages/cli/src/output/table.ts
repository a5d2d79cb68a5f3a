import { escapeControls } from "./escapeControls.ts"
import type { Style } from "./style.ts"

export type Column<T> = {
  title: string
  cell: (row: T) => string
  align?: "right"
  paint?: (text: string, row: T) => string
}

/** Aligned columns below their titles. Columns without any text are omitted. */
export function table<T>(style: Style, rows: readonly T[], columns: readonly Column<T>[]): string {
  const used = columns
    .map((column) => ({ ...column, cells: rows.map((row) => escapeControls(column.cell(row))) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""))
    .map((column) => ({ ...column, width: Math.max(column.title.length, ...column.cells.map(widthOf)) }))

  const line = (texts: { text: string; painted: string; width: number; right: boolean }[]) =>
    texts
      .map(({ text, painted, width, right }, index) => {
        const space = " ".repeat(width - widthOf(text))
        if (right) return space + painted
        return index === texts.length - 1 ? painted : painted + space
      })
      .join("  ")

  const titles = line(
    used.map(({ title, width, align }) => {
      return { text: title, painted: style.paint("dim", title), width, right: align === "right" }
    }),
  )
  const body = rows.map((row, index) =>
    line(
      used.map(({ cells, width, align, paint }) => {
        const text = cells[index] ?? ""
        return { text, painted: paint ? paint(text, row) : text, width, right: align === "right" }
      }),
    ),
  )
  return [titles, ...body].join("\n")
}

function widthOf(text: string): number {
  return [...text].length
}
