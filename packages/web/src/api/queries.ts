import type { Incident } from "@sitewire/contracts"
import type { Input, Output } from "@sitewire/contracts/client"
import { type Operation, routes } from "@sitewire/contracts/routes"
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import { api, versionOf } from "./client.ts"
import { failureOf } from "./failure.ts"

/** The filters of a list as they are in the URL: texts. */
export type FilterOf<Name extends Operation> = {
  [Filter in Exclude<keyof Input<Name>, "cursor" | "limit">]?: Extract<Input<Name>[Filter], string>
}

export type DeliveryFilter = FilterOf<"listDeliveries">

type Read = Extract<keyof typeof api, `read${string}` | `list${string}`>
type Lists = { [Name in Read]: Output<Name> extends { next_cursor: string | null } ? Name : never }[Read]
type Page<Name extends Lists> = Output<Name> & { next_cursor: string | null }

const get = <Result>(operation: Read) =>
  api[operation] as unknown as (input: object, options: { signal: AbortSignal }) => Promise<Result>

/** `/v1/channels/{id}/health` of acme: channels, acme, health. A write reads again what begins with its noun. */
function keyOf(operation: Operation, input: object): unknown[] {
  const [, , ...segments] = routes[operation].path.split("/")
  return segments.map((segment) => (segment === "{id}" ? (input as { id?: unknown }).id : segment))
}

/** A list, page by page. `from`: the cursor of the first page. */
export function listOf<Name extends Lists>(
  operation: Name,
  filter: Omit<Input<Name>, "cursor" | "limit">,
  { limit = 50, from }: { limit?: number; from?: string | undefined } = {},
) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(operation, filter), "list", filter, from],
    queryFn: ({ pageParam: cursor, signal }) =>
      get<Page<Name>>(operation)({ ...filter, cursor, limit }, { signal }),
    initialPageParam: from,
    getNextPageParam: ({ next_cursor }: Page<Name>) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export function read<Name extends Read>(operation: Name, input: Input<Name>) {
  return queryOptions({
    queryKey: [...keyOf(operation, input), input],
    queryFn: ({ signal }) => get<Output<Name>>(operation)(input, { signal }),
  })
}

export const deliveryQuery = (id: string) =>
  queryOptions({
    ...read("readDelivery", { id }),
    // The stream does not report that an old delivery is deferred.
    refetchInterval: ({ state: { data } }) => (data?.state === "pending" ? 10_000 : false),
  })

/** A few channels whose id or host contains the text. */
export const channelSuggestionsQuery = (text: string) =>
  queryOptions({
    ...read("listChannels", { ...(text ? { q: text } : {}), limit: 8 }),
    queryKey: ["channels", "list", "suggestions", text],
    placeholderData: keepPreviousData,
  })

export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ["channels", id],
    queryFn: ({ signal }) => versionOf(api.readChannel({ id }, { signal })),
  })

export const channelHealthQuery = (id: string) =>
  queryOptions({ ...read("readChannelHealth", { id }), refetchInterval: 10_000 })

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id],
    queryFn: ({ signal }) => versionOf(api.readConnection({ id }, { signal })),
  })

/** The content of a connection, at most its first 64 KiB. Null: nothing has been fetched yet. */
export const snapshotQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id, "snapshot"],
    queryFn: async ({ signal }) => {
      const response = await fetch(`/v1/connections/${encodeURIComponent(id)}/snapshot`, { signal })
      if (response.status === 404) return null
      if (!response.ok) throw failureOf(response, await response.json())
      const bytes = Number(response.headers.get("content-length"))
      const start = await readStart(response, 64 * 1024)
      return {
        bytes,
        type: response.headers.get("content-type") ?? "",
        storedAt: new Date(response.headers.get("last-modified") ?? "").toISOString(),
        ...start,
      }
    },
  })

async function readStart(response: Response, limit: number): Promise<{ text: string; complete: boolean }> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
    if (text.length < limit) continue
    await reader.cancel()
    return { text: text.slice(0, limit), complete: false }
  }
  return { text, complete: true }
}

export const jobQuery = (id: string) =>
  queryOptions({
    ...read("readJob", { id }),
    // A job that is done waits for nothing, but what it has resent may.
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === "running" ? 1_000 : data.outcome?.pending ? 5_000 : false,
  })

export const statisticsQuery = (filter: Input<"readStatistics">) =>
  queryOptions({
    ...read("readStatistics", filter),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })

/** All of them, in the order of the API, with what it says of the channels. */
export const openIncidentsQuery = queryOptions({
  queryKey: ["incidents", "list", "open"],
  async queryFn({ signal }) {
    const incidents: Incident[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await api.listIncidents({ state: "open", limit: 100, cursor }, { signal })
      incidents.push(...page.data)
      if (page.next_cursor === null) return { incidents, channels: page.channels }
      cursor = page.next_cursor
    }
  },
  refetchInterval: 15_000,
})
