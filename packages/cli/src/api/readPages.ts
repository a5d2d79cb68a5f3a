import type { Page } from "@sitewire/contracts"
import type { Command } from "commander"
import type { PageQuery } from "./client.ts"
import { readCount } from "../options/parseCount.ts"
import type { Session } from "../session/openSession.ts"

export type PageOptions = { limit: number; all?: boolean; cursor?: string }

const largestPage = 100

/** The options of every list. */
export function addPageOptions(command: Command): Command {
  return command
    .option("--limit <n>", "how many entries, newest first", readCount, 20)
    .option("--all", "all entries")
    .option("--cursor <cursor>", "begin after this place, from `next_cursor` of the list before")
}

/** As many pages as the options ask for, as one page whose `next_cursor` leads on. */
export async function gatherPages<T>(
  { limit, all = false, cursor }: PageOptions,
  list: (query: PageQuery) => Promise<Page<T>>,
): Promise<Page<T>> {
  const wanted = all ? Number.POSITIVE_INFINITY : limit
  const gathered: T[] = []
  let next = cursor ?? null
  do {
    const size = Math.min(wanted - gathered.length, largestPage)
    const page = await list({ limit: size, cursor: next ?? undefined })
    for (const entry of page.data) gathered.push(entry)
    next = page.next_cursor
  } while (next !== null && gathered.length < wanted)
  return { data: gathered, next_cursor: next }
}

/** Says that there is more, and how to get it. */
export function noteMore(session: Session, page: Page<unknown>): void {
  if (page.next_cursor !== null) session.note(`There is more: --all, or --cursor ${page.next_cursor}`)
}
