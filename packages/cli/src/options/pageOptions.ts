import type { Page } from "@sitewire/contracts"
import { Option } from "commander"
import type { Style } from "../output/style.ts"
import { type Column, table } from "../output/table.ts"
import type { Session } from "../session/createSession.ts"
import { parseCount } from "./parseCount.ts"

export type PageOptions = { limit: number; all?: boolean; cursor?: string }

export const pageOptions = [
  new Option("--limit <n>", "the number of entries, newest first").argParser(parseCount).default(20),
  new Option("--all", "all entries"),
  new Option("--cursor <cursor>", "continue a list from its `next_cursor`"),
]

/** Prints a page of a list as a table, or `empty`. */
export function printPage<T>(
  session: Session,
  page: Page<T>,
  empty: string,
  columns: (style: Style) => Column<T>[],
): void {
  session.print(page, ({ data }, style) => (data.length === 0 ? empty : table(style, data, columns(style))))
  noteMore(session, page)
}

export function noteMore({ note }: Session, { next_cursor }: Page<unknown>): void {
  if (next_cursor !== null) note(`There are more entries: --all, or --cursor ${next_cursor}`)
}
