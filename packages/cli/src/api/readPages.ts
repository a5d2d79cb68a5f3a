import type { Page } from "@sitewire/contracts"
import { Failure } from "../errors/failure.ts"
import type { PageOptions } from "../options/pageOptions.ts"
import type { PageQuery } from "./client.ts"

const maxPageSize = 100

/** The entries of several pages, with what the last page has beside them. */
export async function readPages<Entry, OnePage extends Page<Entry>>(
  { limit, all = false, cursor }: PageOptions,
  readPage: (query: PageQuery) => Promise<OnePage & Page<Entry>>,
): Promise<OnePage> {
  const wanted = all ? Number.POSITIVE_INFINITY : limit
  const data: Entry[] = []
  for (let next = cursor; ; ) {
    const page = await readPage({ limit: Math.min(wanted - data.length, maxPageSize), cursor: next })
    for (const entry of page.data) data.push(entry)
    if (page.next_cursor === null || data.length >= wanted) return { ...page, data }
    next = page.next_cursor
  }
}

/** Null if the API responds with one of `statuses`, such as 403: the key may not read it. */
export async function orNull<T>(response: Promise<T>, statuses: readonly number[]): Promise<T | null> {
  try {
    return await response
  } catch (error) {
    if (error instanceof Failure && statuses.includes(error.problem?.status ?? 0)) return null
    throw error
  }
}
