import type { Page } from "@sitewire/contracts"
import type { PageOptions } from "../options/pageOptions.ts"
import type { PageQuery } from "./client.ts"

const maxPageSize = 100

export async function readPages<T>(
  { limit, all = false, cursor }: PageOptions,
  readPage: (query: PageQuery) => Promise<Page<T>>,
): Promise<Page<T>> {
  const wanted = all ? Number.POSITIVE_INFINITY : limit
  const data: T[] = []
  let next = cursor ?? null
  do {
    const size = Math.min(wanted - data.length, maxPageSize)
    const page = await readPage({ limit: size, cursor: next ?? undefined })
    for (const entry of page.data) data.push(entry)
    next = page.next_cursor
  } while (next !== null && data.length < wanted)
  return { data, next_cursor: next }
}
