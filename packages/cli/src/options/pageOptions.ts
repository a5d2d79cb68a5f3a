import type { Page } from "@sitewire/contracts"
import { Option } from "commander"
import type { Session } from "../session/createSession.ts"
import { parseCount } from "./parseCount.ts"

export type PageOptions = { limit: number; all?: boolean; cursor?: string }

export const pageOptions = [
  new Option("--limit <n>", "the number of entries, newest first").argParser(parseCount).default(20),
  new Option("--all", "all entries"),
  new Option("--cursor <cursor>", "continue a list from its `next_cursor`"),
]

export function noteMore({ note }: Session, { next_cursor }: Page<unknown>): void {
  if (next_cursor !== null) note(`There are more entries: --all, or --cursor ${next_cursor}`)
}
