import type { Field } from "@sitewire/contracts/views"
import { block, type Entry } from "../output/block.ts"
import type { Style } from "../output/style.ts"
import { type Column, table, timeColumn } from "../output/table.ts"
import { duration, relativeTime } from "../output/time.ts"

/** `field: value` lines of one row. */
export function factsBlock<Row>(
  facts: readonly Field<Row>[],
  row: Row,
  style: Style,
  more: readonly Entry[] = [],
): string {
  return block(style, [...facts.map((field): Entry => [field.label, factOf(field, row, style)]), ...more])
}

function factOf<Row>(field: Field<Row>, row: Row, style: Style): string | null {
  const value = field.value(row, style.now)
  if (typeof value === "string" && (field.as === "time" || field.as === "ago")) return style.time(value)
  return textOf(field, value, style)
}

export function fieldTable<Row>(columns: readonly Field<Row>[], rows: readonly Row[], style: Style): string {
  return table(style, rows, columnsOf(columns, rows, style))
}

function columnsOf<Row>(columns: readonly Field<Row>[], rows: readonly Row[], style: Style): Column<Row>[] {
  return columns.map((field): Column<Row> => {
    const title = field.label.toUpperCase()
    const read = (row: Row) => field.value(row, style.now)
    if (field.as === "time") return timeColumn(title, (row) => read(row) as string | null, field.none)
    return {
      title,
      cell: (row) => textOf(field, read(row), style) ?? "",
      ...(field.as === "id" && { whole: true }),
      ...(field.as === "state" && { paint: style.state }),
      ...(field.as === "bad" && { paint: (text) => style.paint("red", text) }),
      // Of a column beside that of its time.
      ...(field.label === "" && field.as === "ago" && { short: () => "" }),
      ...(rows.some((row) => typeof read(row) === "number") && { align: "right" }),
    }
  })
}

/** Null: there is no value, so that nothing is shown. */
function textOf<Row>({ as, none }: Field<Row>, value: unknown, { now }: Style): string | null {
  if (value === undefined) return null
  if (value === null) return none ?? null
  if (Array.isArray(value)) return value.join(", ") || (none ?? null)
  if (typeof value === "boolean") return value ? "on" : "off"
  if (as === "ago" && typeof value === "string") return relativeTime(value, now)
  if (as === "duration" && typeof value === "number") return duration(value)
  return String(value)
}
