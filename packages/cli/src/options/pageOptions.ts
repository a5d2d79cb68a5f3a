import type { Page } from "@sitewire/contracts"
import { InvalidArgumentError, Option } from "commander"

export type PageOptions = { limit: number; all?: boolean; cursor?: string }

export const pageOptions = [
  new Option("--limit <n>", "the number of entries, newest first").argParser(parseCount).default(20),
  new Option("--all", "all entries"),
  new Option("--cursor <cursor>", "continue a list from its `next_cursor`"),
]

export function noteMore({ note }: { note: (text: string) => void }, { next_cursor }: Page<unknown>): void {
  if (next_cursor !== null) note(`There are more entries: --all, or --cursor ${next_cursor}`)
}

export function parseCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError("It must be a whole number of at least 1.")
  }
  return count
}

export type ConfirmOptions = { yes?: boolean }

/** For commands that call `session.confirm`. */
export const confirmOption = new Option("-y, --yes", "do it without asking; required if no terminal can ask")
